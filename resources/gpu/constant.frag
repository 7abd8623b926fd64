#version 450
// The cheapest shader there is: its time is the floor of a render pass.
// Build: glslangValidator -V --target-env vulkan1.0 constant.frag -o constant.frag.spv

layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(0.25, 0.5, 0.75, 1.0);
}
