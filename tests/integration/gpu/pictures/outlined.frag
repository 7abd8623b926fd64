#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec3 worldPos;

// Plain derivatives may be computed once for four pixels: only fine ones are alike everywhere.
// Even these differ by about a hundredth, so lines stand out by no more than can be compared.
void main() {
    vec2 cell = uv * vec2(5.0, 3.0), away = abs(fract(cell - 0.5) - 0.5) / fwidthFine(cell);
    float line = 1.0 - clamp(min(away.x, away.y) - 0.5, 0.0, 1.0);
    vec3 turned = normalize(fwidthFine(worldPos) + abs(dFdxFine(worldPos)));
    colour = vec4(0.3 * turned * (1.0 + line), 1.0);
}
