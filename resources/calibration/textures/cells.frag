// The cells around one in a picture of the frame's size, as a simulation's step reads them.
// iChannel0: picture, nearest, clamp
#define N 1  // also 2

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    ivec2 p = ivec2(fragCoord), last = ivec2(iResolution.xy) - 1;
    vec4 sum = vec4(0.0);
    for (int y = -N; y <= N; y++)
        for (int x = -N; x <= N; x++)
            sum += texelFetch(iChannel0, clamp(p + ivec2(x, y), ivec2(0), last), 0);
    fragColor = sum / float((2 * N + 1) * (2 * N + 1));
}
