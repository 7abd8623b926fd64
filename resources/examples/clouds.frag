// SPDX-License-Identifier: GPL-3.0-or-later
// title: Clouds over the sea
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

// Water in the air at a point: a layer between heights 0.5 and 2.6 with billows cut into it.
float density(vec3 p, int octaves)
{
    vec3 q = 0.62 * p + vec3(0.25, 0.02, 0.10) * (iTime + 29.0);
    float billow = 0.0;
    float weight = 0.62;
    for (int octave = 0; octave < octaves; octave++) {
        billow += weight * noise(q);
        q = q * 2.3 + vec3(7.1, 3.3, 5.7);
        weight *= 0.42;
    }
    // Flat below, ragged above.
    float layer = smoothstep(0.5, 0.75, p.y) * smoothstep(2.6, 0.9, p.y);
    return clamp((billow - 0.72 + 0.26 * layer) * 4.5, 0.0, 1.0) * smoothstep(0.0, 0.2, layer);
}

vec3 clearSky(vec3 direction, vec3 sun)
{
    float toSun = max(dot(direction, sun), 0.0);
    vec3 sky = mix(vec3(0.92, 0.66, 0.46), vec3(0.10, 0.26, 0.58), smoothstep(0.0, 0.42, direction.y));
    return sky + vec3(1.0, 0.55, 0.22) * (0.40 * pow(toSun, 6.0) + 2.0 * pow(toSun, 400.0));
}

vec3 cloudySky(vec3 direction, vec3 sun, int steps, float dither)
{
    vec3 sky = clearSky(direction, sun);
    float from = 0.5 / direction.y;
    float to = min(2.6 / direction.y, 13.0);
    if (from >= to) {
        return sky;
    }
    float toSun = max(dot(direction, sun), 0.0);
    float stride = (to - from) / float(steps);
    float clear = 1.0;
    vec3 scattered = vec3(0.0);
    for (int i = 0; i < steps; i++) {
        float travelled = from + (float(i) + dither) * stride;
        vec3 at = direction * travelled;
        float water = density(at, 4);
        if (water > 0.01) {
            float shade = density(at + 0.35 * sun, 2);
            vec3 light = vec3(1.75, 1.15, 0.72) * exp(-2.6 * shade) * (0.8 + 1.5 * pow(toSun, 5.0));
            light += mix(vec3(0.20, 0.19, 0.27), vec3(0.38, 0.46, 0.62), clamp(0.6 * at.y - 0.2, 0.0, 1.0));
            float held = 1.0 - exp(-3.5 * water * stride);
            scattered += clear * held * mix(sky, light, exp(-0.10 * travelled));
            clear *= 1.0 - held;
            if (clear < 0.03) {
                break;
            }
        }
    }
    return scattered + clear * sky;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 direction = normalize(vec3(p.x, 0.42 + 0.62 * p.y, 1.5));
    vec3 sun = normalize(vec3(0.50, 0.20, 0.85));
    float dither = fract(52.98 * fract(dot(fragCoord, vec2(0.0671, 0.00584))));

    vec3 colour;
    if (direction.y > 0.0) {
        colour = cloudySky(direction, sun, 30, dither);
    } else {
        // The sea: waves tilt the mirror, and less is mirrored the steeper one looks.
        vec2 at = direction.xz / -direction.y;
        float wave = noise(vec3(at * 3.0, 0.8 * iTime)) - 0.5;
        float cross = noise(vec3(at.yx * 5.0, 1.1 * iTime)) - 0.5;
        vec3 mirrored = reflect(direction, normalize(vec3(0.09 * wave, 1.0, 0.14 * cross)));
        mirrored.y = abs(mirrored.y) + 0.02;
        float mirror = 0.10 + 0.80 * pow(1.0 + direction.y, 6.0);
        colour = mix(vec3(0.02, 0.07, 0.11), cloudySky(normalize(mirrored), sun, 10, dither), mirror);
    }
    colour = colour / (0.75 + colour);
    fragColor = vec4(pow(1.30 * colour, vec3(0.80)), 1.0);
}
