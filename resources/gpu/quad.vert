#version 450
// Two triangles that cover the target exactly.  No vertex buffer, nothing handed on: the fragment
// shader knows its pixel from gl_FragCoord alone.
// Build: glslangValidator -V --target-env vulkan1.0 quad.vert -o quad.vert.spv

const vec2 corners[6] = vec2[](
    vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0),
    vec2(-1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0));

void main()
{
    gl_Position = vec4(corners[gl_VertexIndex], 0.0, 1.0);
}
