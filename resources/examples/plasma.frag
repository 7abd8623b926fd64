// SPDX-License-Identifier: GPL-3.0-or-later
// title: Plasma
// shows: sines summed without a loop, and a cosine palette
// order: 2

vec3 palette(float t)
{
    return 0.5 + 0.5 * cos(6.2831853 * (vec3(0.55, 0.60, 0.70) * t + vec3(0.92, 0.70, 0.50)));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float t = 0.6 * iTime;

    float waves = sin(4.6 * p.x + t);
    waves += sin(4.2 * (p.y + 0.5 * sin(t)));
    waves += sin(5.1 * (p.x * sin(0.5 * t) + p.y * cos(0.33 * t)) + t);
    vec2 eye = p + vec2(0.7 * sin(0.4 * t), 0.5 * cos(0.6 * t));
    waves += sin(9.0 * sqrt(dot(eye, eye) + 0.2) - 2.0 * t);

    // The slope of the field, from its neighbours in the quad, lights it like cloth.
    vec2 slope = vec2(dFdx(waves), dFdy(waves)) * iResolution.y * 0.5;
    vec3 normal = normalize(vec3(-slope, 16.0));
    float light = 0.55 + 0.62 * max(dot(normal, normalize(vec3(-0.5, 0.6, 0.7))), 0.0);

    vec3 colour = palette(0.19 * waves + 0.05 * t) * light;
    colour += 0.30 * pow(max(dot(normal, normalize(vec3(-0.25, 0.3, 0.9))), 0.0), 24.0) * light;
    fragColor = vec4(colour, 1.0);
}
