// As divergent as possible: every pixel has its own trip count.
#define N 32  // also 256

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    uint h = uint(fragCoord.x) * 374761393u + uint(fragCoord.y) * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    int rounds = int((h >> 8) % uint(N));
    float x = 0.3;
    for (int i = 0; i < rounds; i++)
        x = fract(x * 1.37 + 0.11 * float(i));
    fragColor = vec4(x, float(rounds) / float(N), 0.5, 1.0);
}
