// Filtered reads of a small texture, neighbours beside each other.
// iChannel0: noise, linear, repeat
#define N 8  // also 24

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / 256.0;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < N; i++) {
        sum += texture(iChannel0, p);
        p = p * 1.01 + 0.013;
    }
    fragColor = sum / float(N);
}
