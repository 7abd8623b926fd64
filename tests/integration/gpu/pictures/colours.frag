#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(std140, binding = 0) uniform Values { vec4 left; vec3 right; float power; };

void main() {
    colour = vec4(mix(left.rgb, right, pow(uv.x, power)) * (0.5 + 0.5 * uv.y), 1.0);
}
