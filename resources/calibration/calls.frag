// Functions that call functions, with values handed in and out.
#define N 8  // also 100

void step_once(inout vec2 p, in float k, out float speed)
{
    vec2 before = p;
    p = vec2(p.y + k, p.x * 0.97 - k);
    speed = dot(p - before, p - before);
}

float walk(inout vec2 p, float k)
{
    float a, b;
    step_once(p, k, a);
    step_once(p, k * 0.5, b);
    return a + b;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.xy;
    float total = 0.0;
    for (int i = 0; i < N; i++)
        total += walk(p, 0.03 + 0.001 * float(i));
    fragColor = vec4(fract(p), fract(total), 1.0);
}
