// Loops in loops: fog added up along a ray through noise.
#define N 6  // also 24

float hash(vec3 p)
{
    p = fract(p * 0.3183 + 0.1) * 17.0;
    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}

float noise(vec3 x)
{
    vec3 i = floor(x), f = fract(x);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1, 0, 0)), f.x),
                   mix(hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), f.x),
                   mix(hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 d = vec3((fragCoord - 0.5 * iResolution.xy) / iResolution.y, 1.0);
    float light = 1.0;
    for (int i = 0; i < N; i++) {
        vec3 p = d * (1.0 + float(i) * 0.3);
        float density = 0.0, weight = 0.5;
        for (int j = 0; j < 3; j++) {
            density += weight * noise(p * 2.0);
            p = p.zxy * 2.0;
            weight *= 0.5;
        }
        light *= 1.0 - 0.3 * smoothstep(0.3, 0.7, density);
    }
    fragColor = vec4(light * vec3(0.8, 0.9, 1.0), 1.0);
}
