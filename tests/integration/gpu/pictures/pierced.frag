#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec3 worldPos;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;

void main() {
    vec2 hole = fract(uv * vec2(12.0, 6.0)) - 0.5;
    if (dot(hole, hole) < 0.06) discard;
    colour = vec4((normalize(normal) * 0.5 + 0.5) * (gl_FrontFacing ? 1.0 : 0.4), 1.0);
    colour.b *= 0.5 + 0.5 * worldPos.y;
}
