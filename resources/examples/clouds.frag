// SPDX-License-Identifier: GPL-3.0-or-later
// title: Clouds
// shows: ray marching through fog with light absorbed on the way; an early exit where it is opaque
// order: 14

float corner(vec3 cell)
{
    uvec3 v = uvec3(ivec3(cell) + 2048);
    uint h = v.x * 0x8DA6B343u ^ v.y * 0xD8163841u ^ v.z * 0xCB1AB31Fu;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    return float((h ^ (h >> 12)) & 0xFFFFu) / 65535.0;
}

float noise(vec3 p)
{
    vec3 i = floor(p);
    vec3 f = p - i;
    f = f * f * (3.0 - 2.0 * f);
    vec2 e = vec2(0.0, 1.0);
    vec4 low = vec4(corner(i + e.xxx), corner(i + e.yxx), corner(i + e.xyx), corner(i + e.yyx));
    vec4 high = vec4(corner(i + e.xxy), corner(i + e.yxy), corner(i + e.xyy), corner(i + e.yyy));
    vec4 face = mix(low, high, f.z);
    vec2 line = mix(face.xy, face.zw, f.y);
    return mix(line.x, line.y, f.x);
}

// Water in the air at a point: a layer between heights 0.6 and 2.6 with billows cut into it.
float density(vec3 p, int octaves)
{
    vec3 q = 0.85 * p + vec3(0.25, 0.02, 0.10) * iTime;
    float billow = 0.0;
    float weight = 0.56;
    for (int octave = 0; octave < octaves; octave++) {
        billow += weight * noise(q);
        q = q * 2.13 + vec3(7.1, 3.3, 5.7);
        weight *= 0.46;
    }
    float layer = smoothstep(0.5, 1.1, p.y) * smoothstep(2.9, 1.3, p.y);
    return clamp((billow - 0.80 + 0.36 * layer) * 3.2, 0.0, 1.0) * layer;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 direction = normalize(vec3(p.x, 0.34 + 0.62 * p.y, 1.5));
    vec3 sun = normalize(vec3(0.55, 0.30, 0.85));
    float toSun = max(dot(direction, sun), 0.0);

    vec3 sky = mix(vec3(0.80, 0.70, 0.62), vec3(0.18, 0.36, 0.66), smoothstep(-0.02, 0.45, direction.y));
    sky += vec3(0.9, 0.55, 0.25) * (0.35 * pow(toSun, 8.0) + 1.4 * pow(toSun, 350.0));

    float clear = 1.0;
    vec3 scattered = vec3(0.0);
    if (direction.y > 0.015) {
        float from = 0.5 / direction.y;
        float to = min(2.9 / direction.y, 16.0);
        float stride = (to - from) / 44.0;
        float dither = fract(52.98 * fract(dot(fragCoord, vec2(0.0671, 0.00584))));
        for (int i = 0; i < 44; i++) {
            float travelled = from + (float(i) + dither) * stride;
            vec3 at = direction * travelled;
            float water = density(at, 4);
            if (water > 0.01) {
                float shade = density(at + 0.28 * sun, 3) + 0.7 * density(at + 0.75 * sun, 2);
                vec3 light = vec3(1.25, 0.95, 0.70) * exp(-2.1 * shade) * (0.75 + 1.1 * pow(toSun, 6.0));
                light += mix(vec3(0.30, 0.30, 0.38), vec3(0.42, 0.52, 0.68), clamp(0.5 * at.y, 0.0, 1.0));
                float held = 1.0 - exp(-2.4 * water * stride);
                float haze = exp(-0.09 * travelled);
                scattered += clear * held * mix(sky, light, haze);
                clear *= 1.0 - held;
                if (clear < 0.02) {
                    break;
                }
            }
        }
    }
    vec3 colour = scattered + clear * sky;
    fragColor = vec4(pow(colour / (0.65 + colour), vec3(0.75)) * 1.12, 1.0);
}
