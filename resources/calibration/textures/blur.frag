// Neighbours in a picture of the frame's size with 32-bit components, as of another pass.
// iChannel0: picture, linear, clamp
#define N 1  // also 2

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 size = iResolution.xy;
    vec4 sum = vec4(0.0);
    for (int y = -N; y <= N; y++)
        for (int x = -N; x <= N; x++)
            sum += texture(iChannel0, (fragCoord + vec2(x, y)) / size);
    fragColor = sum / float((2 * N + 1) * (2 * N + 1));
}
