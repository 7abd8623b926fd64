// A local array, written and read at indices known only at run time.
#define N 16  // also 160

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float cells[16];
    vec2 uv = fragCoord / iResolution.xy;
    for (int i = 0; i < 16; i++)
        cells[i] = fract(uv.x * float(i + 1) + uv.y);
    int at = int(uv.y * 15.0);
    float sum = 0.0;
    for (int i = 0; i < N; i++) {
        float v = cells[at];
        sum += v;
        cells[(at + 5) & 15] = v * 0.9 + 0.05;
        at = (at + int(v * 15.0) + 1) & 15;
    }
    fragColor = vec4(fract(sum), cells[3], cells[9], 1.0);
}
