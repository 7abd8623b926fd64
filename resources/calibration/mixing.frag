// Clamping, mixing and stepping between colours.
#define N 10  // also 130

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;
    vec3 c = vec3(uv, 0.5);
    for (int i = 0; i < N; i++) {
        float t = smoothstep(0.1, 0.9, fract(uv.x * 3.0 + float(i) * 0.37));
        vec3 d = mix(c, c.yzx, t);
        c = clamp(max(d, c * 0.95) + 0.1 * step(uv.y, d), 0.0, 1.0);
        c = min(c, 0.98) * sign(c + 0.01) - abs(d - 0.5) * 0.05;
    }
    fragColor = vec4(c, 1.0);
}
