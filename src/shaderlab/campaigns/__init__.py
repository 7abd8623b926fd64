"""Campaigns: thousands of shaders measured unattended, one by one, whatever some of them do."""
