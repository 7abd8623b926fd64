// Vectors taken apart and put together in other orders.
#define N 12  // also 150

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec4 a = vec4(fragCoord / iResolution.xy, 0.3, 0.7);
    vec4 b = a.wzyx;
    for (int i = 0; i < N; i++) {
        a = vec4(b.zw, a.xy).yxwz;
        b = vec4(a.x, b.xyz + 0.01);
        a.yz += b.wx;
        a = fract(a);
    }
    fragColor = vec4(a.rgb, 1.0);
}
