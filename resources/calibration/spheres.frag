// Analytic sphere intersections: parts of the picture leave early, together.
#define N 6  // also 60

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 d = normalize(vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 1.0));
    float near = 1e3;
    vec3 c = vec3(0.1, 0.1, 0.15);
    for (int i = 0; i < N; i++) {
        float f = float(i);
        vec3 o = vec3(sin(f * 2.4) * 2.0, cos(f * 1.7) * 1.2, 4.0 + mod(f, 3.0));
        float b = dot(o, d), h = b * b - dot(o, o) + 0.36;
        if (h < 0.0)
            continue;
        float t = b - sqrt(h);
        if (t < near) {
            near = t;
            vec3 n = (d * t - o) / 0.6;
            float lit = max(dot(n, vec3(0.57, 0.57, -0.57)), 0.05);
            c = lit * (0.6 + 0.4 * sin(f + vec3(0, 2, 4)));
        }
    }
    fragColor = vec4(c, 1.0);
}
