// A dependency chain of vector additions and multiplications.
#define N 24  // also 4, 300

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 a = vec3(fragCoord / iResolution.xy, 0.5);
    vec3 b = a.zxy * 0.9 + 0.05;
    for (int i = 0; i < N; i++) {
        a = a * b + 0.25;
        b = b * 0.75 + a * 0.125;
    }
    fragColor = vec4(a * 0.5 + b * 0.5, 1.0);
}
