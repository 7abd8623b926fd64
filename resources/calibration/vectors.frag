// Dot and cross products, reflections.
#define N 12  // also 160

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 d = normalize(vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 1.0));
    vec3 axis = vec3(0.36, 0.48, 0.8);
    for (int i = 0; i < N; i++) {
        vec3 side = cross(d, axis);
        d = reflect(d, axis) + 0.1 * side * dot(d, side.yzx);
        axis = axis.yzx;
    }
    fragColor = vec4(0.5 + 0.5 * d, 1.0);
}
