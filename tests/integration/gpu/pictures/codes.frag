#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform usampler2D codes;
layout(binding = 2) uniform isampler2D others;

void main() {
    uvec4 a = texelFetch(codes, ivec2(gl_FragCoord.xy) & 255, 0);
    ivec4 b = texelFetch(others, ivec2(uv * 255.0), 0);
    colour = vec4(vec2((a.rg ^ uvec2(b.gb)) & 255u) / 255.0, float(b.r) / 255.0, 1.0);
}
