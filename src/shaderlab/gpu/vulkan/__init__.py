"""Open Vulkan devices: rendering, timestamp profiling, tracing."""
