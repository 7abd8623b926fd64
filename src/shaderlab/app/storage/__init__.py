"""Files of this run and of this user, written safely."""
