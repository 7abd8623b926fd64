// The logistic map: one scalar dependency chain per colour, no vectors.
#define N 40  // also 500

float chaos(float x, float r)
{
    for (int i = 0; i < N; i++)
        x = r * x * (1.0 - x);
    return x;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;
    float r = 2.8 + uv.x * 1.2;
    fragColor = vec4(chaos(0.2 + 0.1 * uv.y, r), chaos(0.4, r - 0.3 * uv.y), uv.y, 1.0);
}
