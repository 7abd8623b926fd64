// A ray marched into a field of spheres until it hits.
#define N 32  // also 128

float field(vec3 p)
{
    vec3 q = mod(p, 2.0) - 1.0;
    return length(q) - 0.45;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 d = normalize(vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 1.2));
    vec3 o = vec3(1.0, 1.0, iTime);
    float t = 0.1;
    for (int i = 0; i < N; i++) {
        float h = field(o + d * t);
        if (h < 0.002 || t > 24.0)
            break;
        t += h;
    }
    fragColor = vec4(vec3(1.0 / (1.0 + 0.12 * t * t)), 1.0);
}
