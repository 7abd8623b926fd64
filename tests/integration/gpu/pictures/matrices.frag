#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(std140, binding = 0) uniform Values { mat3 hue; mat2 turn; mat4x3 shift; };

void main() {
    vec2 at = turn * (uv - 0.5);
    vec3 rings = vec3(fract(length(at) * 3.0), at * 0.5 + 0.5);
    colour = vec4(hue * rings * 0.7 + shift * vec4(uv, 0.5, 1.0) * 0.3, 1.0);
}
