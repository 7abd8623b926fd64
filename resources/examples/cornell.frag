// SPDX-License-Identifier: GPL-3.0-or-later
// title: Cornell box
// shows: path tracing: 6 paths for each pixel, up to 3 bounces, the lamp sampled at each, an integer random generator
// order: 17

const int PATHS = 6;
const int BOUNCES = 3;
const float PI = 3.14159265;
const vec3 LAMP = vec3(0.0, 0.999, 0.3);
const float LAMP_HALF = 0.38;
const vec3 LAMP_LIGHT = vec3(15.0, 11.6, 8.0);

uint state;

// One step of a permuted congruential generator, as a number in 0..1.
float random()
{
    state = state * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    word = (word >> 22) ^ word;
    return float(word >> 8) / 16777216.0;
}

struct Hit {
    float travelled;
    vec3 normal;
    vec3 albedo;
    float emitted;
    float mirror;
};

void sphere(vec3 from, vec3 direction, vec3 centre, float radius, vec3 albedo, float mirror, inout Hit hit)
{
    vec3 to = from - centre;
    float b = dot(to, direction);
    float discriminant = b * b - dot(to, to) + radius * radius;
    if (discriminant > 0.0) {
        float t = -b - sqrt(discriminant);
        if (t > 0.001 && t < hit.travelled) {
            hit = Hit(t, (to + t * direction) / radius, albedo, 0.0, mirror);
        }
    }
}

Hit trace(vec3 from, vec3 direction)
{
    // The box is seen from inside: the nearest wall ahead on each axis.
    vec3 ahead = (sign(direction) * vec3(1.0, 1.0, 1.6) - from) / direction;
    float t = min(min(ahead.x, ahead.y), ahead.z);
    Hit hit = Hit(t, vec3(0.0), vec3(0.74), 0.0, 0.0);
    vec3 at = from + t * direction;
    if (t == ahead.x) {
        hit.normal = vec3(-sign(direction.x), 0.0, 0.0);
        hit.albedo = direction.x < 0.0 ? vec3(0.66, 0.08, 0.06) : vec3(0.12, 0.44, 0.12);
    } else if (t == ahead.y) {
        hit.normal = vec3(0.0, -sign(direction.y), 0.0);
        if (direction.y > 0.0 && abs(at.x - LAMP.x) < LAMP_HALF && abs(at.z - LAMP.z) < LAMP_HALF) {
            hit.emitted = 1.0;
        }
    } else {
        hit.normal = vec3(0.0, 0.0, -sign(direction.z));
    }

    float lift = 0.10 * abs(sin(1.5 * iTime));
    sphere(from, direction, vec3(-0.45, -0.60, 0.65), 0.40, vec3(0.95), 1.0, hit);
    sphere(from, direction, vec3(0.45, -0.66 + lift, 0.10), 0.34, vec3(0.80, 0.62, 0.20), 0.0, hit);
    sphere(from, direction, vec3(0.02, -0.84, -0.30), 0.16, vec3(0.20, 0.36, 0.78), 0.0, hit);
    return hit;
}

vec3 scatter(vec3 normal)
{
    float turn = 2.0 * PI * random();
    float up = 2.0 * random() - 1.0;
    return normalize(normal + vec3(sqrt(1.0 - up * up) * vec2(cos(turn), sin(turn)), up) * 0.999);
}

// Light that reaches a point from one random place on the lamp, per unit of albedo.
vec3 fromLamp(vec3 at, vec3 normal)
{
    vec3 target = LAMP + LAMP_HALF * vec3(2.0 * random() - 1.0, 0.0, 2.0 * random() - 1.0);
    vec3 to = target - at;
    float squared = dot(to, to);
    vec3 direction = to * inversesqrt(squared);
    float facing = dot(normal, direction) * direction.y;
    if (facing <= 0.0 || trace(at, direction).travelled < sqrt(squared) - 0.01) {
        return vec3(0.0);
    }
    return LAMP_LIGHT * facing * 4.0 * LAMP_HALF * LAMP_HALF / (PI * squared);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    state = uint(fragCoord.x) * 1973u + uint(fragCoord.y) * 9277u + uint(iFrame) * 26699u;
    vec3 sum = vec3(0.0);
    for (int path = 0; path < PATHS; path++) {
        vec2 shake = vec2(random(), random()) - 0.5;
        vec2 p = (2.0 * (fragCoord + shake) - iResolution.xy) / iResolution.y;
        vec3 from = vec3(0.0, -0.05, -1.55);
        vec3 direction = normalize(vec3(p * 0.72, 1.15));
        vec3 carried = vec3(1.0);
        bool mirrored = true;
        for (int bounce = 0; bounce < BOUNCES; bounce++) {
            Hit hit = trace(from, direction);
            if (hit.emitted > 0.0) {
                // Only where the lamp was not sampled already: the first look, and in a mirror.
                sum += mirrored ? carried * LAMP_LIGHT : vec3(0.0);
                break;
            }
            carried *= hit.albedo;
            from += hit.travelled * direction + 0.0015 * hit.normal;
            mirrored = hit.mirror > 0.5;
            if (mirrored) {
                direction = reflect(direction, hit.normal);
            } else {
                sum += carried * fromLamp(from, hit.normal);
                direction = scatter(hit.normal);
            }
        }
    }
    vec3 colour = 1.25 * sum / float(PATHS);
    fragColor = vec4(pow(colour / (0.9 + colour), vec3(0.4545)), 1.0);
}
