// SPDX-License-Identifier: GPL-3.0-or-later
// title: Mandelbulb
// shows: a fractal distance estimate inside a ray march: loops within loops, uneven between pixels
// order: 16

// Distance to the power-8 bulb, and the smallest squared radius its orbit reached.
vec2 bulb(vec3 p)
{
    vec3 z = p;
    float scale = 1.0;
    float r = length(z);
    float trap = 1.0;
    for (int i = 0; i < 7; i++) {
        float power = pow(r, 7.0);
        scale = 8.0 * power * scale + 1.0;
        float theta = 8.0 * acos(clamp(z.y / r, -1.0, 1.0));
        float phi = 8.0 * atan(z.x, z.z) + 0.35 * sin(0.25 * iTime);
        z = p + power * r * vec3(sin(theta) * sin(phi), cos(theta), sin(theta) * cos(phi));
        r = length(z);
        trap = min(trap, dot(z.xz, z.xz));
        if (r > 2.0) {
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
        for (; steps < 110; steps++) {
            here = bulb(eye + travelled * direction);
            if (here.x < 0.6 * pixel * travelled || travelled > end) {
                break;
            }
            travelled += here.x;
        }
        glow = float(steps) / 110.0;
        if (travelled < end) {
            vec3 at = eye + travelled * direction;
            vec2 e = vec2(1.0, -1.0) * 0.6 * pixel;
            vec3 normal = normalize(e.xyy * bulb(at + e.xyy).x + e.yyx * bulb(at + e.yyx).x
                + e.yxy * bulb(at + e.yxy).x + e.xxx * bulb(at + e.xxx).x);
            vec3 sun = normalize(vec3(0.6, 0.8, 0.35));
            float shadow = 1.0;
            float reach = 0.01;
            for (int i = 0; i < 24; i++) {
                float d = bulb(at + normal * 0.002 + reach * sun).x;
                shadow = min(shadow, 12.0 * d / reach);
                reach += max(d, 0.01);
                if (shadow < 0.01 || reach > 1.2) {
                    break;
                }
            }
            shadow = clamp(shadow, 0.0, 1.0);
            float open = exp(-2.2 * glow);
            vec3 albedo = mix(vec3(0.62, 0.18, 0.10), vec3(0.88, 0.66, 0.34), smoothstep(0.0, 0.5, sqrt(here.y)));
            albedo = mix(albedo, vec3(0.16, 0.32, 0.46), smoothstep(0.35, 0.95, here.y));
            vec3 light = vec3(2.3, 1.9, 1.45) * max(dot(normal, sun), 0.0) * shadow;
            light += vec3(0.32, 0.42, 0.62) * open * (0.6 + 0.4 * normal.y);
            light += vec3(0.40, 0.18, 0.10) * open * max(-dot(normal, sun), 0.0);
            colour = albedo * light;
            vec3 halfway = normalize(sun - direction);
            colour += 0.4 * shadow * pow(max(dot(normal, halfway), 0.0), 40.0);
        }
    }
    colour += vec3(0.35, 0.22, 0.14) * glow * glow;
    fragColor = vec4(pow(colour / (1.0 + 0.35 * colour), vec3(0.4545)), 1.0);
}
