#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform samplerCube sky;

void main() {
    float around = uv.x * 6.2831853, up = (uv.y - 0.5) * 3.1415926;
    colour = texture(sky, vec3(cos(up) * sin(around), sin(up), cos(up) * cos(around)));
}
