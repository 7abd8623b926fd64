// Work on the time alone: the same for all pixels, so a driver may do it once.
#define N 60  // also 600

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float a = iTime, b = 0.3;
    for (int i = 0; i < N; i++) {
        a = sin(a * 1.3 + b);
        b = b * 0.9 + a * a * 0.1;
    }
    fragColor = vec4(fragCoord / iResolution.xy, a * 0.5 + b, 1.0);
}
