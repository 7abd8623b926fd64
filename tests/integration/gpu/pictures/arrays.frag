#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(std140, binding = 0) uniform Values { float weights[5]; vec3 palette[4]; };

void main() {
    float sum = 0.0;
    for (int n = 0; n < 5; n++) sum += weights[n] * sin(float(n + 1) * uv.x * 6.2831853);
    int entry = int(uv.y * 3.999);
    colour = vec4(palette[entry] * (0.6 + 0.2 * sum), 1.0);
}
