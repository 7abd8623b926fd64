// Powers, exponentials and logarithms.
#define N 8  // also 90

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 c = vec3(fragCoord / iResolution.xy, 0.4) + 0.05;
    for (int i = 0; i < N; i++) {
        c = pow(c, vec3(0.8, 1.1, 1.3));
        c = 1.0 - exp(-1.5 * c);
        c += 0.05 * log2(1.0 + c.yzx);
    }
    fragColor = vec4(c, 1.0);
}
