// Reflections looked up in a cube map.
// iChannel0: noise, mipmap, clamp
#define N 4  // also 12
uniform samplerCube iChannel0;

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 way = vec3(fragCoord / iResolution.y - 0.5, 1.0);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < N; i++) {
        sum += texture(iChannel0, way);
        way = way.yzx + 0.05;
    }
    fragColor = sum / float(N);
}
