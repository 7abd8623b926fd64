// SPDX-License-Identifier: GPL-3.0-or-later
// title: Julia lace
// shows: a Julia set with orbit traps, four samples for each pixel
// order: 13

vec3 sampleAt(vec2 p)
{
    float phase = 0.22 * iTime;
    vec2 c = vec2(-0.78, 0.136) + 0.035 * vec2(cos(phase), sin(1.3 * phase));
    vec2 z = p;
    float ring = 1e9;
    vec2 axes = vec2(1e9);
    float escaped = 0.0;
    for (int n = 0; n < 110; n++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        float squared = dot(z, z);
        ring = min(ring, abs(squared - 0.18));
        axes = min(axes, abs(z));
        if (squared > 64.0) {
            escaped = float(n) + 1.0 - log2(log2(squared) / 6.0);
            break;
        }
    }
    vec3 lace = mix(vec3(0.04, 0.05, 0.14), vec3(0.98, 0.86, 0.70), exp(-26.0 * ring));
    lace = mix(lace, vec3(0.86, 0.25, 0.38), exp(-34.0 * axes.x));
    lace = mix(lace, vec3(0.25, 0.66, 0.82), 0.8 * exp(-28.0 * axes.y));
    float depth = escaped > 0.0 ? clamp(escaped / 60.0, 0.0, 1.0) : 1.0;
    return mix(vec3(0.03, 0.04, 0.09), lace, smoothstep(0.02, 0.5, depth));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        vec2 offset = vec2(float(i % 2), float(i / 2)) * 0.5 - 0.25;
        vec2 p = (2.0 * (fragCoord + offset) - iResolution.xy) / iResolution.y;
        sum += sampleAt(1.12 * p);
    }
    fragColor = vec4(sqrt(0.25 * sum), 1.0);
}
