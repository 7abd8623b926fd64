// Cells around scattered points: two loops of three, a hash in the middle.
#define N 1  // also 8

vec2 scatter(vec2 p)
{
    p = vec2(dot(p, vec2(127.1, 311.7)), dot(p, vec2(269.5, 183.3)));
    return fract(sin(p) * 43758.5453);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.y * 8.0;
    vec3 c = vec3(0.0);
    for (int layer = 0; layer < N; layer++) {
        vec2 cell = floor(p), f = fract(p);
        float least = 8.0;
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                vec2 at = vec2(float(x), float(y));
                vec2 r = at + 0.5 + 0.5 * sin(iTime + 6.2831 * scatter(cell + at)) - f;
                least = min(least, dot(r, r));
            }
        c += sqrt(least) * vec3(0.8, 0.5, 0.3);
        p = p * 1.7 + 3.1;
    }
    fragColor = vec4(c / float(N), 1.0);
}
