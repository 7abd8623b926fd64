// Uniform branches: all pixels take the same way, by the iteration number.
#define N 24  // also 240

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.y;
    float a = 0.0;
    for (int i = 0; i < N; i++) {
        if (i % 3 == 0) {
            p = p.yx * 1.01 + 0.02;
        } else if (i % 3 == 1) {
            a += p.x * p.y;
        } else {
            a = a * 0.9 + 0.05;
            p -= a * 0.01;
        }
    }
    fragColor = vec4(fract(a), p, 1.0);
}
