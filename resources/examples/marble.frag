// SPDX-License-Identifier: GPL-3.0-or-later
// title: Folded marble
// shows: domain warping: noise that moves the point where noise is read
// order: 11

float lattice(vec2 p)
{
    uvec2 v = uvec2(ivec2(floor(p)) + 8192);
    uint h = (v.x * 0x9E3779B9u) ^ (v.y * 0x7FEB352Du);
    h = (h ^ (h >> 16)) * 0x846CA68Bu;
    return float((h ^ (h >> 15)) >> 8) / 16777216.0;
}

float noise(vec2 p)
{
    vec2 f = fract(p);
    f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    float low = mix(lattice(p), lattice(p + vec2(1.0, 0.0)), f.x);
    float high = mix(lattice(p + vec2(0.0, 1.0)), lattice(p + vec2(1.0, 1.0)), f.x);
    return mix(low, high, f.y);
}

float fbm(vec2 p)
{
    float sum = 0.0;
    float weight = 0.5;
    for (int octave = 0; octave < 6; octave++) {
        sum += weight * noise(p);
        p = mat2(1.62, 1.18, -1.18, 1.62) * p + vec2(2.7, 9.1);
        weight *= 0.5;
    }
    return sum;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = 1.0 * (2.0 * fragCoord - iResolution.xy) / iResolution.y + vec2(4.0, 1.0);
    float t = 0.12 * iTime;

    vec2 first = vec2(fbm(p + vec2(0.0, t)), fbm(p + vec2(5.2, 1.3 - t)));
    vec2 second = vec2(fbm(p + 3.6 * first + vec2(1.7, 9.2)), fbm(p + 3.6 * first + vec2(8.3, 2.8 + t)));
    float vein = fbm(p + 3.2 * second);

    vec3 colour = mix(vec3(0.10, 0.13, 0.22), vec3(0.72, 0.64, 0.56), smoothstep(0.25, 0.75, vein));
    colour = mix(colour, vec3(0.60, 0.20, 0.15), 0.75 * smoothstep(0.45, 0.8, second.x));
    colour = mix(colour, vec3(0.10, 0.36, 0.42), 0.70 * smoothstep(0.50, 0.8, first.y));
    float gold = smoothstep(0.018, 0.0, abs(vein - 0.52)) + 0.6 * smoothstep(0.012, 0.0, abs(vein - 0.40));
    colour = mix(colour, vec3(0.98, 0.82, 0.47), 0.8 * gold);

    vec2 slope = vec2(dFdx(vein), dFdy(vein)) * iResolution.y * 0.5;
    colour *= clamp(0.92 + 0.045 * dot(slope, vec2(-0.6, 0.8)), 0.6, 1.3);
    fragColor = vec4(pow(colour, vec3(0.85)), 1.0);
}
