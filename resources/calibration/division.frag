// Divisions, remainders and fractions.
#define N 12  // also 150

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.y + 0.1;
    vec2 sum = vec2(0.0);
    for (int i = 1; i <= N; i++) {
        vec2 q = mod(p * float(i), 1.7) + 0.2;
        sum += fract(1.0 / q) + q.yx / (1.0 + q.x * q.y);
        p = p.yx + 0.013 * sum / float(i);
    }
    fragColor = vec4(fract(sum), floor(sum.x) / 16.0, 1.0);
}
