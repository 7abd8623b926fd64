// SPDX-License-Identifier: GPL-3.0-or-later
// title: Dusk
// shows: the cheapest frame: a few mixes and no loop
// order: 1

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;

    vec3 ground = vec3(0.98, 0.55, 0.28);
    vec3 middle = vec3(0.62, 0.24, 0.46);
    vec3 zenith = vec3(0.07, 0.09, 0.26);
    vec3 sky = mix(ground, middle, smoothstep(0.0, 0.45, uv.y));
    sky = mix(sky, zenith, smoothstep(0.3, 1.0, uv.y));

    // A sun that sinks and rises again, flattened a little by the haze.
    vec2 sun = vec2(0.5 + 0.12 * sin(0.21 * iTime), 0.30 + 0.10 * cos(0.17 * iTime));
    vec2 toSun = (uv - sun) * vec2(iResolution.x / iResolution.y, 1.08);
    float distance = length(toSun);
    sky += vec3(1.0, 0.62, 0.30) * 0.45 * exp(-5.0 * distance);
    sky = mix(sky, vec3(1.0, 0.93, 0.74), smoothstep(0.085, 0.080, distance));

    fragColor = vec4(sky, 1.0);
}
