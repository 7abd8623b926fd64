// A ground and boxes, marched, with a normal by differences and a marched shadow.
#define N 48

float box(vec3 p, vec3 b)
{
    vec3 q = abs(p) - b;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0);
}

float map(vec3 p)
{
    vec3 q = vec3(mod(p.x + 1.5, 3.0) - 1.5, p.y - 0.5, mod(p.z + 1.5, 3.0) - 1.5);
    return min(p.y, box(q, vec3(0.5, 0.5, 0.4)) - 0.05);
}

vec3 normal(vec3 p)
{
    vec2 e = vec2(0.002, 0.0);
    return normalize(vec3(map(p + e.xyy) - map(p - e.xyy),
                          map(p + e.yxy) - map(p - e.yxy),
                          map(p + e.yyx) - map(p - e.yyx)));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = (fragCoord - 0.5 * iResolution.xy) / iResolution.y;
    vec3 o = vec3(0.0, 2.0, -4.0), d = normalize(vec3(uv.x, uv.y - 0.3, 1.0));
    float t = 0.0;
    bool hit = false;
    for (int i = 0; i < N; i++) {
        float h = map(o + d * t);
        if (h < 0.003) {
            hit = true;
            break;
        }
        t += h;
        if (t > 30.0)
            break;
    }
    vec3 c = vec3(0.5, 0.7, 0.9);
    if (hit) {
        vec3 p = o + d * t, n = normal(p), l = normalize(vec3(0.6, 0.8, -0.3));
        float lit = max(dot(n, l), 0.0), s = 0.05;
        for (int i = 0; i < N / 2; i++) {
            float h = map(p + l * s);
            if (h < 0.002) {
                lit = 0.0;
                break;
            }
            s += h;
            if (s > 6.0)
                break;
        }
        c = mix(vec3(0.15 + 0.8 * lit), c, 1.0 - exp(-0.02 * t));
    }
    fragColor = vec4(pow(c, vec3(0.4545)), 1.0);
}
