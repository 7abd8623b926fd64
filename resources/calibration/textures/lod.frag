// Reads at a level of the shader's own choice.
// iChannel0: noise, mipmap, repeat
#define N 8  // also 24

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / 256.0;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < N; i++)
        sum += textureLod(iChannel0, p + float(i) * 0.017, 0.5 + 0.1 * float(i));
    fragColor = sum / float(N);
}
