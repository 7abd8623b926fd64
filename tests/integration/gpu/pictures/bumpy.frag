#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec3 normal;
layout(location = 1) in vec4 tangent;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec3 worldPos;
layout(binding = 1) uniform sampler2D bumps;

void main() {
    vec3 n = normalize(normal), t = normalize(tangent.xyz), b = cross(n, t) * tangent.w;
    vec3 bump = textureLod(bumps, uv * 0.25, 0.0).xyz * 2.0 - 1.0;
    vec3 bent = normalize(t * bump.x + b * bump.y + n * bump.z);
    colour = vec4(vec3(max(0.0, dot(bent, normalize(vec3(2.0, 4.0, 3.0) - worldPos)))), 1.0);
}
