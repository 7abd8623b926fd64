#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Leaves out the samples whose stencil value lacks a bit: the pipeline writes that bit.
// Build: glslangValidator -V --target-env vulkan1.0 fill_stencil.frag -o fill_stencil.frag.spv
layout(set = 0, binding = 0) uniform utexture2DArray samples;
layout(push_constant) uniform Which { int bit; } which;

void main()
{
    uint value = texelFetch(samples, ivec3(gl_FragCoord.xy, gl_SampleID), 0).r;
    if ((value >> which.bit & 1u) == 0u)
        discard;
}
