// Shifts, exclusive ors and integer products: a hash, over and over.
#define N 6  // also 80

uint scramble(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    uint seed = uint(fragCoord.x) * 1973u + uint(fragCoord.y) * 9277u;
    uint sum = 0u;
    for (int i = 0; i < N; i++) {
        seed = scramble(seed + uint(i));
        sum += (seed & 255u) / 3u + seed % 7u;
    }
    uvec3 c = uvec3(seed, seed >> 8, sum) & 255u;
    fragColor = vec4(vec3(c) / 255.0, 1.0);
}
