"""Campaigns: thousands of shaders measured unattended, one by one, even where some of them fail."""
