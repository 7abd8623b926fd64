// A march through a volume.
// iChannel0: noise, linear, repeat
#define N 8  // also 24
uniform sampler3D iChannel0;

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 p = vec3(fragCoord / iResolution.y, 0.0);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < N; i++)
        sum += texture(iChannel0, p + vec3(0.0, 0.0, 0.021) * float(i));
    fragColor = sum / float(N);
}
