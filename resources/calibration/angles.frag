// Polar patterns: arcs of tangents, and a switch between sectors.
#define N 3  // also 36

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (fragCoord - 0.5 * iResolution.xy) / iResolution.y;
    vec3 c = vec3(0.0);
    for (int i = 0; i < N; i++) {
        float a = atan(p.y, p.x) + float(i), r = length(p);
        switch (int(a * 2.0 + 8.0) % 4) {
        case 0: c += vec3(0.5, 0.1, r); break;
        case 1: c += vec3(r, 0.4, 0.1) * tan(0.4 * r); break;
        case 2: c += acos(clamp(p.x, -1.0, 1.0)) * 0.1; break;
        default: c += vec3(0.1, r * r, 0.3); break;
        }
        p = vec2(p.y, -p.x) * 1.1 + 0.05;
    }
    fragColor = vec4(c / float(N), 1.0);
}
