#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 worldPos;
layout(std140, binding = 0) uniform Values { vec3 lamp; float shine; vec3 onlooker; };

void main() {
    vec3 n = normalize(normal), l = normalize(lamp - worldPos), v = normalize(onlooker - worldPos);
    float diffuse = max(0.0, dot(n, l)), gloss = pow(max(0.0, dot(n, normalize(l + v))), shine);
    colour = vec4(vec3(0.9, 0.5, 0.3) * diffuse + 0.4 * gloss + 0.05, 1.0);
}
