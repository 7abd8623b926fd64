// Texels by their place, of a small texture.
// iChannel0: noise, nearest, repeat
#define N 8  // also 24

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    ivec2 p = ivec2(fragCoord);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < N; i++)
        sum += texelFetch(iChannel0, (p + ivec2(i, i * 3)) & 255, 0);
    fragColor = sum / float(N);
}
