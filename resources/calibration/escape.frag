// Trip counts that differ from pixel to pixel: the border of a Julia set.
#define N 40  // also 400

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 z = (fragCoord - 0.5 * iResolution.xy) / iResolution.y * 2.6;
    vec2 c = vec2(-0.79, 0.156);
    float rounds = 0.0;
    for (int i = 0; i < N; i++) {
        if (dot(z, z) > 16.0)
            break;
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        rounds += 1.0;
    }
    float t = rounds / float(N);
    fragColor = vec4(t, t * t, 1.0 - t, 1.0);
}
