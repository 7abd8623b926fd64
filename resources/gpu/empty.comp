#version 450
// What a dispatch costs whatever the shader: `gpu/vulkan/profiling.py` times it.

layout(local_size_x = 1) in;

void main() {}
