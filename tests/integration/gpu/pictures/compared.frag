#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(binding = 1) uniform sampler2DShadow depths;

void main() {
    float lit = texture(depths, vec3(uv + 0.0013, 0.5));
    colour = vec4(lit, texture(depths, vec3(uv.yx + 0.0013, 0.25)), texture(depths, vec3(uv + 0.0013, uv.y)), 1.0);
}
