// Sines and cosines of moving points.
#define N 6  // also 60

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.y * 6.0;
    float sum = 0.0;
    for (int i = 0; i < N; i++) {
        float f = float(i);
        p += vec2(sin(p.y + iTime + f), cos(p.x - iTime * 0.5 + f)) * 0.3;
        sum += sin(p.x) * cos(p.y);
    }
    fragColor = vec4(0.5 + 0.5 * sin(vec3(0.0, 2.0, 4.0) + sum), 1.0);
}
