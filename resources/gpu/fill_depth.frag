#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Each sample of a pixel gets the depth of its own layer.
// Build: glslangValidator -V --target-env vulkan1.0 fill_depth.frag -o fill_depth.frag.spv
layout(set = 0, binding = 0) uniform texture2DArray samples;

void main()
{
    gl_FragDepth = texelFetch(samples, ivec3(gl_FragCoord.xy, gl_SampleID), 0).r;
}
