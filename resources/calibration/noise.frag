// Value noise in octaves, as clouds and mountains are made of.
#define N 5  // also 24

float hash(vec2 p)
{
    return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453);
}

float noise(vec2 p)
{
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), f.x),
               mix(hash(i + vec2(0.0, 1.0)), hash(i + 1.0), f.x), f.y);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.y * 4.0 + iTime * 0.1;
    float sum = 0.0, weight = 0.5;
    for (int i = 0; i < N; i++) {
        sum += weight * noise(p);
        p = p * 2.03 + 1.7;
        weight *= 0.5;
    }
    fragColor = vec4(vec3(sum) * vec3(0.9, 0.95, 1.0), 1.0);
}
