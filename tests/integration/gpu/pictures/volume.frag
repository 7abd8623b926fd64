#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler3D volume;

void main() {
    vec3 sum = vec3(0.0);
    for (int n = 0; n < 8; n++) {
        float z = (float(n) + 0.5) / 8.0;
        sum += texture(volume, vec3(uv + 0.1 * z, z)).rgb * z;
    }
    colour = vec4(sum / 4.0, 1.0);
}
