// SPDX-License-Identifier: GPL-3.0-or-later
// title: Star field
// shows: integer hashing: PCG in two dimensions, five layers of stars
// order: 7

// Two rounds of a linear congruential step with the halves mixed in between.
uvec2 pcg(uvec2 v)
{
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v ^= v >> 16u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    return v ^ (v >> 16u);
}

vec2 unit(uvec2 v)
{
    return vec2(v >> 8u) / 16777216.0;
}

vec3 starColour(float heat)
{
    vec3 cold = mix(vec3(1.0, 0.55, 0.32), vec3(1.0, 0.95, 0.86), smoothstep(0.0, 0.6, heat));
    return mix(cold, vec3(0.62, 0.76, 1.0), smoothstep(0.55, 1.0, heat));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float band = p.y - 0.45 * p.x;
    vec3 colour = vec3(0.006, 0.008, 0.020);
    colour += vec3(0.030, 0.022, 0.048) * exp(-5.0 * band * band);
    colour += vec3(0.055, 0.036, 0.026) * exp(-22.0 * band * band);

    for (int layer = 0; layer < 5; layer++) {
        float k = float(layer);
        float scale = 5.0 + 4.5 * k;
        vec2 q = p * scale + vec2(1.7, 0.4) * iTime * 0.9 / (1.0 + k) + 31.0 * k;
        vec2 corner = floor(q);
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                vec2 cell = corner + vec2(float(x), float(y));
                uvec2 seed = uvec2(ivec2(cell) + 1000) + uint(layer) * 7919u;
                uvec2 bits = pcg(seed);
                vec2 rest = unit(pcg(bits));
                vec2 place = cell + 0.2 + 0.6 * unit(bits);
                float dist = length(q - place);
                // Few are bright: a steep power of a uniform number.
                float magnitude = pow(rest.x, 18.0) * 1.6 + 0.010;
                float blink = 0.8 + 0.2 * sin(3.0 * iTime + 40.0 * rest.y);
                float glare = magnitude * blink * 0.010 / (dist * dist + 0.0009 * scale * 0.12);
                colour += starColour(rest.y) * glare * smoothstep(1.0, 0.4, dist) * 0.22;
            }
        }
    }
    fragColor = vec4(sqrt(colour / (1.0 + 0.7 * colour)), 1.0);
}
