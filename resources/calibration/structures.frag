// Structures copied, compared and sorted.
#define N 6  // also 60

struct Hit {
    float t;
    vec3 colour;
};

Hit nearer(Hit a, Hit b)
{
    if (a.t < b.t)
        return a;
    return b;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;
    Hit best = Hit(10.0, vec3(0.0));
    for (int i = 0; i < N; i++) {
        float f = float(i) / float(N);
        vec2 centre = vec2(fract(f * 7.31), fract(f * 3.77));
        Hit here = Hit(distance(uv, centre), vec3(f, centre));
        best = nearer(best, here);
    }
    fragColor = vec4(best.colour * (1.0 - best.t), 1.0);
}
