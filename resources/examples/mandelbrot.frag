// SPDX-License-Identifier: GPL-3.0-or-later
// title: Seahorse valley
// shows: the Mandelbrot set: a loop that each pixel leaves at its own time
// order: 12

const int LIMIT = 320;

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float zoom = 0.0052 * exp(1.4 * sin(0.15 * (iTime - 1.0)));
    vec2 c = vec2(-0.74600, 0.11080) + zoom * p;

    vec2 z = vec2(0.0);
    vec2 derivative = vec2(0.0);
    float squared = 0.0;
    int n = 0;
    for (; n < LIMIT; n++) {
        derivative = 2.0 * vec2(z.x * derivative.x - z.y * derivative.y,
                                z.x * derivative.y + z.y * derivative.x) + vec2(1.0, 0.0);
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        squared = dot(z, z);
        if (squared > 256.0) {
            break;
        }
    }

    vec3 colour = vec3(0.02, 0.015, 0.04);
    if (n < LIMIT) {
        float smoothed = float(n) + 1.0 - log2(0.5 * log2(squared) / 4.0);
        float t = 0.62 * log2(smoothed);
        colour = 0.5 + 0.5 * cos(6.2831853 * (t * vec3(0.90, 0.96, 1.04) + vec3(0.50, 0.42, 0.30)));
        // Light from the upper left on the level sets, and a dark rim close to the set.
        vec2 ratio = vec2(z.x * derivative.x + z.y * derivative.y,
                          z.y * derivative.x - z.x * derivative.y);
        vec2 normal = normalize(ratio);
        colour *= 0.86 + 0.24 * dot(normal, normalize(vec2(-0.7, 0.7)));
        float rim = sqrt(squared / dot(derivative, derivative)) * 0.5 * log(squared);
        colour *= clamp(pow(rim / zoom * 300.0, 0.25), 0.0, 1.0);
    }
    fragColor = vec4(colour, 1.0);
}
