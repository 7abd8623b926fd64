// SPDX-License-Identifier: GPL-3.0-or-later
// title: Still life
// shows: a signed distance field with soft shadows, ambient occlusion and one reflection
// order: 15

float smoothMin(float a, float b, float k)
{
    float h = max(k - abs(a - b), 0.0) / k;
    return min(a, b) - 0.25 * h * h * k;
}

// Distance to the scene, and which thing is nearest: 0 table, 1 jug, 2 fruit, 3 ring.
vec2 scene(vec3 p)
{
    vec2 nearest = vec2(p.y, 0.0);

    vec3 q = p - vec3(-0.55, 0.0, 0.15);
    float r = length(q.xz);
    float profile = 0.42 + 0.16 * sin(2.6 * q.y + 0.4) - 0.10 * q.y;
    float jug = max(abs(r - profile) - 0.035, max(q.y - 1.35, 0.02 - q.y)) * 0.75;
    jug = smoothMin(jug, length(vec3(r, q.y - 0.05, 0.0)) - 0.30, 0.15);
    vec2 handle = vec2(length(q.xy - vec2(-0.52, 0.80)) - 0.27, q.z);
    jug = smoothMin(jug, length(handle) - 0.055, 0.10);
    if (jug < nearest.x) {
        nearest = vec2(jug, 1.0);
    }

    for (int i = 0; i < 4; i++) {
        float k = float(i);
        vec3 centre = vec3(0.38 + 0.52 * k - 0.75 * step(2.5, k) , 0.26, -0.35 - 0.35 * sin(2.2 * k));
        vec3 f = p - centre;
        float dent = 0.05 * exp(-60.0 * dot(f.xz, f.xz)) * sign(f.y);
        float fruit = length(f) - 0.26 + dent;
        if (fruit < nearest.x) {
            nearest = vec2(fruit, 2.0 + 0.1 * k);
        }
    }

    float c = cos(0.5 * iTime);
    float s = sin(0.5 * iTime);
    vec3 g = p - vec3(0.85, 0.95 + 0.05 * sin(1.3 * iTime), 0.75);
    g.xz = mat2(c, s, -s, c) * g.xz;
    float ring = length(vec2(length(g.xy) - 0.42, g.z)) - 0.10;
    if (ring < nearest.x) {
        nearest = vec2(ring, 3.0);
    }
    return nearest;
}

vec3 normalAt(vec3 p)
{
    vec2 e = vec2(1.0, -1.0) * 0.0008;
    return normalize(e.xyy * scene(p + e.xyy).x + e.yyx * scene(p + e.yyx).x
        + e.yxy * scene(p + e.yxy).x + e.xxx * scene(p + e.xxx).x);
}

vec2 march(vec3 from, vec3 direction)
{
    float travelled = 0.02;
    for (int i = 0; i < 80; i++) {
        vec2 step = scene(from + travelled * direction);
        if (step.x < 0.0006 * travelled) {
            return vec2(travelled, step.y);
        }
        travelled += step.x;
        if (travelled > 14.0) {
            break;
        }
    }
    return vec2(-1.0);
}

float softShadow(vec3 from, vec3 direction)
{
    float light = 1.0;
    float travelled = 0.03;
    for (int i = 0; i < 26; i++) {
        float d = scene(from + travelled * direction).x;
        light = min(light, 11.0 * d / travelled);
        travelled += clamp(d, 0.02, 0.22);
        if (light < 0.003 || travelled > 4.0) {
            break;
        }
    }
    light = clamp(light, 0.0, 1.0);
    return light * light * (3.0 - 2.0 * light);
}

float occlusion(vec3 p, vec3 normal)
{
    float hidden = 0.0;
    float weight = 1.0;
    for (int i = 1; i <= 5; i++) {
        float reach = 0.07 * float(i);
        hidden += weight * (reach - scene(p + reach * normal).x);
        weight *= 0.72;
    }
    return clamp(1.0 - 1.4 * hidden, 0.0, 1.0);
}

vec3 wall(vec3 direction)
{
    return mix(vec3(0.20, 0.15, 0.13), vec3(0.46, 0.44, 0.42), smoothstep(-0.1, 0.8, direction.y + 0.3 * direction.x));
}

// Colour, and in alpha how much it mirrors.
vec4 material(vec3 p, float kind)
{
    if (kind < 0.5) {
        float plank = 0.5 + 0.5 * sin(34.0 * p.x + 2.5 * sin(1.4 * p.z + 0.6 * sin(9.0 * p.z)));
        float gap = smoothstep(0.0, 0.03, abs(fract(0.9 * p.z) - 0.5));
        return vec4(mix(vec3(0.25, 0.13, 0.07), vec3(0.40, 0.23, 0.12), plank) * (0.4 + 0.6 * gap), 0.10);
    }
    if (kind < 1.5) {
        float stripe = smoothstep(0.02, 0.0, abs(abs(p.y - 0.95) - 0.05) - 0.015);
        return vec4(mix(vec3(0.80, 0.78, 0.72), vec3(0.10, 0.23, 0.45), stripe), 0.16);
    }
    if (kind < 2.9) {
        float which = fract(kind) * 10.0;
        return vec4(mix(vec3(0.72, 0.16, 0.03), vec3(0.60, 0.42, 0.03), 0.33 * which), 0.07);
    }
    return vec4(vec3(0.95, 0.72, 0.36), 0.75);
}

vec3 shade(vec3 p, vec3 normal, vec3 direction, float kind)
{
    vec3 sun = normalize(vec3(-0.75, 0.85, -0.55));
    vec3 albedo = material(p, kind).rgb;
    float direct = max(dot(normal, sun), 0.0);
    if (direct > 0.0) {
        direct *= softShadow(p + 0.004 * normal, sun);
    }
    float sky = occlusion(p, normal);
    vec3 light = vec3(2.1, 1.75, 1.3) * direct;
    light += vec3(0.30, 0.38, 0.52) * sky * (0.6 + 0.4 * normal.y);
    light += vec3(0.24, 0.13, 0.08) * sky * max(-normal.y, 0.0);
    vec3 halfway = normalize(sun - direction);
    return albedo * light + 0.35 * direct * pow(max(dot(normal, halfway), 0.0), 60.0);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float yaw = 0.25 * sin(0.3 * iTime);
    vec3 eye = vec3(4.2 * sin(yaw), 1.75, -4.2 * cos(yaw));
    vec3 forward = normalize(vec3(0.15, 0.55, 0.1) - eye);
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), forward));
    vec3 direction = normalize(p.x * right + p.y * cross(forward, right) + 2.3 * forward);

    vec3 colour = wall(direction);
    vec2 hit = march(eye, direction);
    if (hit.x > 0.0) {
        vec3 at = eye + hit.x * direction;
        vec3 normal = normalAt(at);
        colour = shade(at, normal, direction, hit.y);
        float mirror = material(at, hit.y).a;
        mirror += (1.0 - mirror) * pow(1.0 - max(dot(normal, -direction), 0.0), 5.0) * 0.6;
        vec3 bounced = reflect(direction, normal);
        vec2 second = march(at + 0.01 * normal, bounced);
        vec3 seen = wall(bounced);
        if (second.x > 0.0) {
            vec3 there = at + 0.01 * normal + second.x * bounced;
            seen = shade(there, normalAt(there), bounced, second.y);
        }
        colour = mix(colour, seen, mirror);
        colour = mix(colour, wall(direction), smoothstep(5.5, 11.0, hit.x));
    }
    colour = colour / (1.0 + 0.45 * colour);
    colour *= 1.0 - 0.16 * dot(p, p);
    fragColor = vec4(pow(max(colour, 0.0), vec3(0.4545)), 1.0);
}
