"""Child processes that own a compiler, a Vulkan device or a model, and the supervision of them."""
