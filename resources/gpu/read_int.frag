#version 450
#extension GL_EXT_samplerless_texture_functions : require
// One sample of each pixel.
// Build: glslangValidator -V --target-env vulkan1.0 read_int.frag -o read_int.frag.spv
layout(set = 0, binding = 0) uniform itexture2DMS samples;
layout(push_constant) uniform Which { int number; } which;
layout(location = 0) out ivec4 value;

void main()
{
    value = texelFetch(samples, ivec2(gl_FragCoord.xy), which.number);
}
