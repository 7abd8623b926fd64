// SPDX-License-Identifier: GPL-3.0-or-later
// title: Stained glass
// shows: Voronoi cells with true distances to their borders, two passes over neighbours
// order: 9

vec2 jitter(vec2 cell)
{
    uvec2 v = uvec2(ivec2(cell) + 512);
    uint h = v.x * 0x27D4EB2Fu + v.y * 0x165667B1u;
    h = (h ^ (h >> 15)) * 0x85EBCA6Bu;
    uint g = (h ^ (h >> 13)) * 0xC2B2AE35u;
    return vec2(h >> 8, g >> 8) / 16777216.0;
}

vec2 seed(vec2 cell)
{
    return 0.5 + 0.42 * sin(0.5 * iTime + 6.2831853 * jitter(cell));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec2 q = 3.4 * p + vec2(7.0, 3.0);
    vec2 corner = floor(q);
    vec2 inside = q - corner;

    vec2 nearest = vec2(0.0);
    vec2 owner = vec2(0.0);
    float best = 1e9;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            vec2 cell = vec2(float(x), float(y));
            vec2 to = cell + seed(corner + cell) - inside;
            float d = dot(to, to);
            if (d < best) {
                best = d;
                nearest = to;
                owner = cell;
            }
        }
    }

    // The border with each other seed is the line half way: measure to that line.
    float border = 1e9;
    for (int y = -2; y <= 2; y++) {
        for (int x = -2; x <= 2; x++) {
            vec2 cell = owner + vec2(float(x), float(y));
            vec2 to = cell + seed(corner + cell) - inside;
            vec2 between = to - nearest;
            if (dot(between, between) > 1e-5) {
                border = min(border, dot(0.5 * (nearest + to), normalize(between)));
            }
        }
    }

    vec2 tone = jitter(corner + owner + 91.0);
    vec3 glass = 0.5 + 0.5 * cos(6.2831853 * (vec3(0.0, 0.33, 0.62) + 0.55 * tone.x + 0.08));
    glass = mix(glass, vec3(dot(glass, vec3(0.3, 0.6, 0.1))), 0.30) + vec3(0.10, 0.07, 0.0);
    glass = mix(glass, vec3(0.96, 0.86, 0.60), 0.45 * tone.y);
    float ripple = sin(20.0 * nearest.x + 9.0 * sin(5.0 * nearest.y + 6.0 * tone.y));
    float sun = exp(-0.9 * dot(p - vec2(0.5, 0.45), p - vec2(0.5, 0.45)));
    glass *= (0.55 + 0.85 * sun) * (1.0 + 0.07 * ripple) * (0.75 + 0.25 * smoothstep(0.0, 0.35, border));
    glass += 0.35 * sun * sun * vec3(1.0, 0.9, 0.7) * exp(-6.0 * best);

    // Lead: a half-round strip, lit from above.
    float width = 0.055;
    float edge = 3.4 * 2.0 / iResolution.y;
    float bulge = clamp(1.0 - border / width, 0.0, 1.0);
    vec3 lead = vec3(0.055, 0.06, 0.07) + 0.11 * bulge * bulge;
    vec3 colour = mix(lead, glass, smoothstep(width - edge, width + edge, border));
    fragColor = vec4(pow(colour, vec3(0.80)), 1.0);
}
