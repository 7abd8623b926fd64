"""Fitting the additive model to a device from a few dozen timed shaders."""
