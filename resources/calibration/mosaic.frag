// Divergent branches: neighbouring pixels take different ways.
#define N 8  // also 100

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    ivec2 cell = ivec2(fragCoord);
    vec2 p = fragCoord / iResolution.y;
    vec3 c = vec3(p, 0.2);
    for (int i = 0; i < N; i++) {
        int which = (cell.x * 3 + cell.y * 5 + i) & 3;
        if (which == 0) {
            c = c.zxy + 0.02;
        } else if (which == 1) {
            c = sin(c * 3.0);
        } else if (which == 2) {
            c = sqrt(abs(c)) * 0.9;
        } else {
            c = c / (1.0 + dot(c, c));
        }
    }
    fragColor = vec4(c, 1.0);
}
