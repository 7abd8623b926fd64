// SPDX-License-Identifier: GPL-3.0-or-later
// title: Plasma
// shows: sines summed without a loop, and a cosine palette
// order: 2

vec3 palette(float t)
{
    return 0.5 + 0.5 * cos(6.2831853 * (vec3(0.95, 0.80, 0.62) * t + vec3(0.02, 0.30, 0.56)));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float t = 0.6 * iTime;

    float waves = sin(3.1 * p.x + t);
    waves += sin(2.7 * (p.y + 0.5 * sin(t)));
    waves += sin(3.3 * (p.x * sin(0.5 * t) + p.y * cos(0.33 * t)) + t);
    vec2 eye = p + vec2(0.7 * sin(0.4 * t), 0.5 * cos(0.6 * t));
    waves += sin(6.0 * sqrt(dot(eye, eye) + 0.2) - 2.0 * t);

    // The slope of the field, from its neighbours in the quad, lights it like cloth.
    vec2 slope = vec2(dFdx(waves), dFdy(waves)) * iResolution.y * 0.5;
    vec3 normal = normalize(vec3(-slope, 9.0));
    float light = 0.35 + 0.75 * max(dot(normal, normalize(vec3(-0.5, 0.6, 0.7))), 0.0);

    vec3 colour = palette(0.19 * waves + 0.05 * t) * light;
    colour += 0.25 * pow(max(normal.z, 0.0), 30.0) * vec3(0.9, 0.8, 1.0) * light * 0.4;
    fragColor = vec4(colour, 1.0);
}
