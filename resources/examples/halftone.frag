// SPDX-License-Identifier: GPL-3.0-or-later
// title: Halftone moon
// shows: discard: the paper between the dots is never written
// order: 5

float craters(vec2 p)
{
    float depth = 0.0;
    for (int i = 0; i < 16; i++) {
        // The golden angle spreads the craters evenly; the deepest one at a point wins.
        float k = float(i);
        vec2 centre = 0.76 * sqrt((k + 0.6) / 16.0) * vec2(cos(2.4 * k + 1.0), sin(2.4 * k + 1.0));
        float radius = 0.06 + 0.13 * fract(0.754 * k * k + 0.2);
        vec2 to = (p - centre) / radius;
        depth = max(depth, radius * max(0.0, 1.0 - dot(to, to)));
    }
    return depth;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;

    // The tone is taken at the middle of the dot, so that every dot is round.
    float pitch = 0.021;
    mat2 screen = mat2(0.866, 0.5, -0.5, 0.866);
    vec2 cell = screen * p / pitch;
    vec2 centre = (floor(cell) + 0.5) * screen * pitch;

    float tone = 0.0;
    vec3 ink = vec3(0.98, 0.93, 0.80);
    float r = length(centre) / 0.82;
    if (r < 1.0) {
        vec3 normal = vec3(centre / 0.82, sqrt(1.0 - r * r));
        vec2 step = vec2(0.012, 0.0);
        float here = craters(centre);
        vec2 slope = vec2(craters(centre + step.xy) - here, craters(centre + step.yx) - here);
        normal = normalize(normal + vec3(slope / step.x * 0.32, 0.0));
        float angle = 0.25 * iTime + 0.4;
        vec3 sun = normalize(vec3(cos(angle), 0.35, 0.45 + 0.5 * sin(angle)));
        tone = 0.04 + 1.05 * max(dot(normal, sun), 0.0) * (1.0 - 2.0 * here);
    } else {
        float glow = exp(-4.0 * (r - 1.0));
        float twinkle = fract(sin(dot(floor(cell), vec2(12.99, 78.23))) * 4375.85);
        tone = 0.30 * glow + (twinkle > 0.985 ? 0.35 : 0.0);
        ink = mix(vec3(0.30, 0.46, 0.85), vec3(0.95, 0.75, 0.50), glow);
    }

    float dotRadius = 0.72 * sqrt(clamp(tone, 0.0, 1.0));
    if (length(fract(cell) - 0.5) > dotRadius) {
        discard;
    }
    fragColor = vec4(ink, 1.0);
}
