"""From a traced program to a forecast of its time on a target GPU."""
