#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Each sample of a pixel gets the texel of its own layer.
// Build: glslangValidator -V --target-env vulkan1.0 fill_uint.frag -o fill_uint.frag.spv
layout(set = 0, binding = 0) uniform utexture2DArray samples;
layout(location = 0) out uvec4 value;

void main()
{
    value = texelFetch(samples, ivec3(gl_FragCoord.xy, gl_SampleID), 0);
}
