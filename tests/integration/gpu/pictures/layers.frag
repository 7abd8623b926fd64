#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2DArray sheets;

void main() {
    float layer = floor(uv.x * 4.0);
    colour = vec4(texture(sheets, vec3(uv * vec2(0.4, 0.3), layer)).rgb, 1.0);
}
