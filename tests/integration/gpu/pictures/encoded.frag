#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2D photo;
layout(binding = 2) uniform sampler2D bumps;

void main() {
    vec3 normal = normalize(texture(bumps, uv).xyz * 2.0 - 1.0);
    float light = max(0.0, dot(normal, normalize(vec3(0.5, 0.7, 0.6))));
    colour = vec4(sqrt(texture(photo, uv).rgb) * light, 1.0);
}
