#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
struct Light { vec3 place; float power; vec3 tint; };
layout(std140, binding = 0) uniform Scene { Light lights[3]; float ambient; } scene;

void main() {
    vec3 sum = vec3(scene.ambient);
    for (int n = 0; n < 3; n++) {
        vec3 way = scene.lights[n].place - vec3(uv, 0.0);
        sum += scene.lights[n].tint * scene.lights[n].power / (1.0 + dot(way, way) * 8.0);
    }
    colour = vec4(sum, 1.0);
}
