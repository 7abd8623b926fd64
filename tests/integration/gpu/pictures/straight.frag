#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) noperspective in vec2 uv;
layout(location = 1) flat in int index;
layout(location = 2) in vec4 vertexColor;
layout(location = 3) in vec2 texCoord;

void main() {
    vec2 apart = (uv - texCoord) * 4.0 + 0.5;
    colour = vec4(apart, fract(uv.x * 8.0) * (1.0 - float(index)), 1.0) * vertexColor;
}
