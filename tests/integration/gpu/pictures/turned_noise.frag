#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2D noise;

void main() {
    vec2 at = mat2(0.8, 0.6, -0.6, 0.8) * uv * 0.4;
    colour = vec4(texture(noise, at).rgb * 0.7 + texture(noise, at * 3.0 - 1.0).bgr * 0.3, 1.0);
}
