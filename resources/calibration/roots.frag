// Square roots, lengths and normalised vectors.
#define N 10  // also 140

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 p = vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 1.0);
    float d = 0.0;
    for (int i = 0; i < N; i++) {
        vec3 n = normalize(p);
        d += sqrt(abs(n.x * n.y)) + distance(p, n.zxy) * 0.2;
        p = p.yzx + n * inversesqrt(1.0 + d) + 0.02;
    }
    fragColor = vec4(fract(d), fract(length(p)), p.z * 0.2, 1.0);
}
