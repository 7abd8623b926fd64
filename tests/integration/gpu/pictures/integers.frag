#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(std140, binding = 0) uniform Values { int steps; uint mask; bool inverted; ivec2 cells; };

void main() {
    vec2 z = vec2(0.0), c = uv * vec2(3.0, 2.4) - vec2(2.1, 1.2);
    int n = 0;
    for (; n < steps && dot(z, z) < 4.0; n++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    uvec2 cell = uvec2(uv * vec2(cells));
    uint bits = (cell.x ^ cell.y) & mask;
    vec3 value = vec3(float(n) / float(steps), float(bits) / float(mask), uv.y);
    colour = vec4(inverted ? 1.0 - value : value, 1.0);
}
