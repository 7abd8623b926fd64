#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec3 worldPos;
layout(binding = 1) uniform sampler2D squares;

void main() {
    vec3 facet = normalize(cross(dFdx(worldPos), dFdy(worldPos)));
    float light = 0.5 - 0.5 * dot(facet, normalize(vec3(0.3, 0.8, 0.5)));
    vec3 base = textureLod(squares, uv, 4.0).rgb * (gl_FrontFacing ? 0.6 : 0.1) + 0.2;
    colour = vec4(base * light, 1.0);
}
