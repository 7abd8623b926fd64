// SPDX-License-Identifier: GPL-3.0-or-later
// title: Truchet ribbons
// shows: branches chosen per tile by an integer hash
// order: 4

uint scramble(uvec2 tile)
{
    uint h = tile.x * 0x9E3779B1u ^ (tile.y + 0x7F4A7C15u) * 0x85EBCA77u;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return h ^ (h >> 13);
}

// Distance to the middle of the ribbon in a tile (-0.5..0.5), and how far along it we are.
vec2 ribbon(vec2 p, uint kind)
{
    if (kind == 0u) {
        // Two straight ribbons, one over the other.
        if (abs(p.y) < 0.17) {
            return vec2(abs(p.y), p.x + 0.5);
        }
        return vec2(abs(p.x), p.y + 0.5);
    }
    if (kind % 2u == 1u) {
        p.x = -p.x;
    }
    // Two quarter circles around opposite corners: mirror the nearer one onto the first.
    if (p.x + p.y > 0.0) {
        p = -p;
    }
    vec2 fromCorner = p + 0.5;
    return vec2(abs(length(fromCorner) - 0.5), atan(fromCorner.y, fromCorner.x) / 1.5707963);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float c = cos(0.3);
    float s = sin(0.3);
    p = mat2(c, s, -s, c) * p * 3.6 + vec2(0.35, 0.2) * iTime;

    vec2 tile = floor(p);
    uint h = scramble(uvec2(ivec2(tile) + 4096));
    vec2 band = ribbon(fract(p) - 0.5, h % 5u);

    vec3 colour = mix(vec3(0.06, 0.08, 0.13), vec3(0.10, 0.13, 0.20), 0.5 + 0.5 * sin(3.0 * p.y));
    float edge = 3.6 * 2.0 / iResolution.y;
    // Shadow, outline, and a ribbon with a woven centre.
    colour *= 1.0 - 0.7 * smoothstep(0.30, 0.14, band.x);
    vec3 warm = mix(vec3(0.96, 0.45, 0.26), vec3(0.98, 0.80, 0.42), 0.5 + 0.5 * sin(0.5 * (p.x + p.y)));
    vec3 cool = vec3(0.30, 0.72, 0.74);
    float hue = smoothstep(-0.6, 0.6, sin(0.37 * p.x - 0.61 * p.y));
    float round = sqrt(max(0.0, 1.0 - band.x * band.x / 0.0256));
    vec3 cloth = mix(cool, warm, hue) * (0.45 + 0.55 * round);
    cloth *= 0.88 + 0.12 * cos(6.2831853 * 8.0 * band.y);
    colour = mix(colour, cloth, smoothstep(0.16 + edge, 0.16 - edge, band.x));
    colour = mix(colour, vec3(0.99, 0.95, 0.86), smoothstep(0.028 + edge, 0.028 - edge, band.x));
    fragColor = vec4(colour, 1.0);
}
