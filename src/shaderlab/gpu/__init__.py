"""Vulkan devices: off-screen rendering, timestamp profiling, count tracing."""
