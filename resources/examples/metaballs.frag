// SPDX-License-Identifier: GPL-3.0-or-later
// title: Quicksilver
// shows: a field of twelve moving sources, lit by its analytic gradient
// order: 10

const int DROPS = 12;

vec3 room(vec3 direction)
{
    float up = 0.5 + 0.5 * direction.y;
    vec3 light = mix(vec3(0.16, 0.10, 0.14), vec3(0.42, 0.56, 0.78), up);
    light += vec3(1.6, 1.3, 0.9) * smoothstep(0.90, 0.97, dot(direction, normalize(vec3(0.5, 0.7, 0.5))));
    light += vec3(0.5, 0.7, 1.1) * smoothstep(0.80, 0.9, dot(direction, normalize(vec3(-0.8, 0.1, 0.5))));
    float window = smoothstep(0.12, 0.08, abs(direction.x + 0.25)) * smoothstep(0.1, 0.2, direction.y);
    return light + vec3(0.7, 0.65, 0.6) * window;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;

    float field = 0.0;
    vec2 slope = vec2(0.0);
    for (int i = 0; i < DROPS; i++) {
        float k = float(i);
        float pace = 0.35 + 0.06 * k;
        vec2 centre = vec2(1.05 * sin(pace * iTime + 2.1 * k), 0.72 * cos(0.8 * pace * iTime + 3.3 * k));
        float radius = 0.16 + 0.09 * sin(1.7 * k + 0.3 * iTime);
        vec2 to = p - centre;
        float squared = dot(to, to) + 0.002;
        field += radius * radius / squared;
        slope -= 2.0 * radius * radius * to / (squared * squared);
    }

    vec3 table = mix(vec3(0.17, 0.12, 0.11), vec3(0.30, 0.21, 0.17), 0.5 + 0.5 * p.y);
    table *= 0.93 + 0.07 * sin(60.0 * p.y + 3.0 * sin(2.0 * p.x + 9.0 * p.y));
    table *= 1.0 - 0.75 * smoothstep(0.45, 1.0, field);

    // Distance to the rim to first order.  The height 0.2 sqrt(1 - 1/field) makes one drop alone a
    // ball, and joins drops that touch.
    float rim = (field - 1.0) / (length(slope) + 1e-4);
    float rise = sqrt(max(1.0 - 1.0 / field, 0.0));
    vec3 normal = normalize(vec3(-0.1 * slope / (field * field), rise + 0.02));
    vec3 mirrored = reflect(vec3(0.0, 0.0, -1.0), normal);
    vec3 metal = room(mirrored) * vec3(0.92, 0.93, 0.95);
    metal = mix(metal, vec3(0.05, 0.05, 0.06), 0.5 * pow(1.0 - normal.z, 3.0));

    float edge = 2.0 / iResolution.y;
    vec3 colour = mix(table, metal, smoothstep(-edge, edge, rim));
    fragColor = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0);
}
