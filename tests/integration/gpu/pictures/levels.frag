#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2D noise;

void main() {
    float level = floor(uv.x * 8.0);
    colour = vec4(textureLod(noise, uv * vec2(1.0, 0.7), level).rgb, 1.0);
}
