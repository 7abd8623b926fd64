// SPDX-License-Identifier: GPL-3.0-or-later
// title: Mandelbulb
// shows: a fractal distance estimate inside a ray march: loops within loops, uneven between pixels
// order: 16

// The point with its length squared and both its angles doubled; three times makes the 8th power.
vec3 doubled(vec3 z)
{
    float across = dot(z.xz, z.xz) + 1e-12;
    vec2 turned = vec2(z.x * z.x - z.z * z.z, 2.0 * z.x * z.z);
    return vec3(2.0 * z.y * inversesqrt(across) * turned, z.y * z.y - across).xzy;
}

// Distance to the power-8 bulb, and the smallest squared radius its orbit reached.
vec2 bulb(vec3 p)
{
    vec3 z = p;
    float scale = 1.0;
    float r = length(z);
    float trap = 1.0;
    for (int i = 0; i < 5; i++) {
        float squared = r * r;
        scale = 8.0 * squared * squared * squared * r * scale + 1.0;
        z = p + doubled(doubled(doubled(z)));
        r = length(z);
        trap = min(trap, dot(z.xz, z.xz));
        if (r > 1.8) {
            break;
        }
    }
    return vec2(0.5 * log(r) * r / scale, trap);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float yaw = 0.7 + 0.15 * iTime;
    vec3 eye = 2.65 * vec3(cos(0.45) * sin(yaw), sin(0.45), cos(0.45) * cos(yaw));
    vec3 forward = -normalize(eye);
    vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
    vec3 direction = normalize(p.x * right + p.y * cross(right, forward) + 2.0 * forward);

    vec3 colour = mix(vec3(0.10, 0.08, 0.13), vec3(0.02, 0.02, 0.05), length(p) * 0.7);
    float pixel = 1.0 / iResolution.y;

    // Nothing outside the sphere of radius 1.25 is worth marching for.
    float b = dot(eye, direction);
    float discriminant = b * b - dot(eye, eye) + 1.5625;
    float glow = 0.0;
    if (discriminant > 0.0) {
        float travelled = -b - sqrt(discriminant);
        float end = -b + sqrt(discriminant);
        vec2 here = vec2(1.0);
        int steps = 0;
        for (; steps < 72; steps++) {
            here = bulb(eye + travelled * direction);
            if (here.x < 0.9 * pixel * travelled || travelled > end) {
                break;
            }
            travelled += here.x;
        }
        glow = float(steps) / 72.0;
        if (travelled < end) {
            vec3 at = eye + travelled * direction;
            vec2 e = vec2(1.0, -1.0) * 0.6 * pixel;
            vec3 normal = normalize(e.xyy * bulb(at + e.xyy).x + e.yyx * bulb(at + e.yyx).x
                + e.yxy * bulb(at + e.yxy).x + e.xxx * bulb(at + e.xxx).x);
            vec3 sun = normalize(vec3(0.6, 0.8, 0.35));
            float shadow = 1.0;
            float reach = 0.01;
            for (int i = 0; i < 16; i++) {
                float d = bulb(at + normal * 0.002 + reach * sun).x;
                shadow = min(shadow, 12.0 * d / reach);
                reach += max(d, 0.01);
                if (shadow < 0.01 || reach > 1.2) {
                    break;
                }
            }
            shadow = clamp(shadow, 0.0, 1.0);
            float open = exp(-3.2 * glow);
            vec3 albedo = mix(vec3(0.62, 0.18, 0.10), vec3(0.82, 0.50, 0.20), smoothstep(0.1, 0.8, sqrt(here.y)));
            albedo = mix(albedo, vec3(0.16, 0.32, 0.46), smoothstep(0.5, 1.0, here.y));
            vec3 light = vec3(1.7, 1.35, 1.0) * max(dot(normal, sun), 0.0) * shadow;
            light += vec3(0.20, 0.27, 0.42) * open * (0.6 + 0.4 * normal.y);
            light += vec3(0.40, 0.18, 0.10) * open * max(-dot(normal, sun), 0.0);
            colour = albedo * light;
            vec3 halfway = normalize(sun - direction);
            colour += 0.4 * shadow * pow(max(dot(normal, halfway), 0.0), 40.0);
        }
    }
    colour += vec3(0.16, 0.10, 0.07) * glow * glow;
    fragColor = vec4(pow(colour / (1.0 + 0.35 * colour), vec3(0.4545)), 1.0);
}
