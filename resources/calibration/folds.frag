// A fractal of folds: absolute values divided by squared lengths.
#define N 14  // also 120

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 p = vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 0.4) * 1.2;
    float sum = 0.0, last = 0.0;
    for (int i = 0; i < N; i++) {
        p = abs(p) / max(dot(p, p), 1e-3) - vec3(0.62, 0.71, 0.54);
        float l = length(p);
        sum += exp(-8.0 * abs(l - last));
        last = l;
    }
    fragColor = vec4(vec3(sum) / float(N) * vec3(1.2, 0.9, 1.6), 1.0);
}
