// SPDX-License-Identifier: GPL-3.0-or-later
// title: Interference
// shows: two nested loops with known trip counts: 9 sources, 9 x 5 colours per pixel
// order: 3

// Nine sources on a ring send waves of five colours.  Per pixel the outer body runs exactly 9
// times and the inner one 45, whatever the pixel: at 1024x768 that is 7,077,888 and 35,389,440.
const int SOURCES = 9;
const int COLOURS = 5;

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;

    vec2 amplitude[COLOURS] = vec2[COLOURS](vec2(0.0), vec2(0.0), vec2(0.0), vec2(0.0), vec2(0.0));
    for (int source = 0; source < SOURCES; source++) {
        float angle = 6.2831853 * float(source) / float(SOURCES) + 0.05 * iTime;
        float travelled = length(p - 0.8 * vec2(cos(angle), sin(angle)));
        for (int colour = 0; colour < COLOURS; colour++) {
            float phase = travelled * (34.0 + 5.0 * float(colour)) - 2.0 * iTime;
            amplitude[colour] += vec2(cos(phase), sin(phase)) / (0.6 + travelled);
        }
    }

    vec3 light = dot(amplitude[0], amplitude[0]) * vec3(0.90, 0.12, 0.06);
    light += dot(amplitude[1], amplitude[1]) * vec3(0.75, 0.40, 0.04);
    light += dot(amplitude[2], amplitude[2]) * vec3(0.14, 0.62, 0.18);
    light += dot(amplitude[3], amplitude[3]) * vec3(0.04, 0.34, 0.70);
    light += dot(amplitude[4], amplitude[4]) * vec3(0.22, 0.08, 0.80);
    light = 0.0019 * light * light + 0.010 * light;
    fragColor = vec4(sqrt(light / (1.0 + light)), 1.0);
}
