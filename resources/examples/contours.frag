// SPDX-License-Identifier: GPL-3.0-or-later
// title: Contour map
// shows: value and gradient noise, and fractal sums of both
// order: 8

float hash1(ivec2 cell)
{
    uint n = uint(cell.x) * 374761393u + uint(cell.y) * 668265263u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return float((n ^ (n >> 16)) >> 8) / 16777216.0;
}

vec2 gradient(ivec2 cell)
{
    float angle = 6.2831853 * hash1(cell);
    return vec2(cos(angle), sin(angle));
}

float valueNoise(vec2 p)
{
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    vec2 u = f * f * (3.0 - 2.0 * f);
    return mix(
        mix(hash1(i), hash1(i + ivec2(1, 0)), u.x),
        mix(hash1(i + ivec2(0, 1)), hash1(i + ivec2(1, 1)), u.x), u.y);
}

float gradientNoise(vec2 p)
{
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    vec2 u = f * f * f * (f * (6.0 * f - 15.0) + 10.0);
    float a = dot(gradient(i), f);
    float b = dot(gradient(i + ivec2(1, 0)), f - vec2(1.0, 0.0));
    float c = dot(gradient(i + ivec2(0, 1)), f - vec2(0.0, 1.0));
    float d = dot(gradient(i + ivec2(1, 1)), f - vec2(1.0, 1.0));
    return mix(mix(a, b, u.x), mix(c, d, u.x), u.y);
}

float height(vec2 p)
{
    float sum = 0.0;
    float weight = 0.9;
    for (int octave = 0; octave < 5; octave++) {
        sum += weight * gradientNoise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p + 5.3;
        weight *= 0.48;
    }
    return sum;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    p = 1.25 * p + vec2(0.06 * iTime + 3.0, 1.4);

    float h = height(p);
    vec2 slope = vec2(dFdx(h), dFdy(h)) * iResolution.y * 0.5;
    float light = clamp(0.85 + 0.085 * dot(slope, vec2(-0.7, 0.7)), 0.35, 1.25);

    vec3 colour;
    if (h < 0.0) {
        float depth = clamp(-2.2 * h, 0.0, 1.0);
        colour = mix(vec3(0.47, 0.71, 0.76), vec3(0.13, 0.32, 0.47), sqrt(depth));
        light = mix(1.0, light, 0.2);
    } else {
        colour = mix(vec3(0.78, 0.80, 0.58), vec3(0.45, 0.60, 0.36), smoothstep(0.0, 0.18, h));
        colour = mix(colour, vec3(0.66, 0.53, 0.37), smoothstep(0.18, 0.42, h));
        colour = mix(colour, vec3(0.96, 0.95, 0.93), smoothstep(0.42, 0.62, h));
        colour *= 0.94 + 0.12 * valueNoise(60.0 * p);
    }
    colour *= light;

    // Contour lines one or two pixels wide: the level's distance over its change per pixel.
    float level = h * 18.0;
    float perPixel = fwidth(level) + 1e-4;
    float line = abs(fract(level - 0.5) - 0.5) / perPixel;
    float heavy = mod(floor(level + 0.5), 5.0) == 0.0 ? 1.6 : 0.8;
    float ink = smoothstep(heavy, heavy - 0.8, line) * smoothstep(0.9, 0.3, perPixel);
    colour = mix(colour, vec3(0.25, 0.19, 0.15), 0.55 * ink);
    fragColor = vec4(colour, 1.0);
}
