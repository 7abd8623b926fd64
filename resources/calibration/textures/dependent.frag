// Each read is where the one before says, as in a chain of warps.
// iChannel0: noise, linear, repeat
#define N 4  // also 12

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.xy;
    vec4 found = vec4(0.0);
    for (int i = 0; i < N; i++) {
        found = texture(iChannel0, p);
        p += found.xy * 0.6;
    }
    fragColor = found;
}
