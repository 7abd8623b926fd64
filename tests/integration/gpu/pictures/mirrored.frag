#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2D image;

void main() {
    colour = vec4(texture(image, uv * 4.0 - 1.3).rgb, 1.0);
}
