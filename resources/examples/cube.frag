// SPDX-License-Identifier: GPL-3.0-or-later
// title: Tumbling cube
// shows: matrix products, a perspective divide and a loop over 12 edges
// order: 6

mat3 turn(float yaw, float pitch, float roll)
{
    float cy = cos(yaw), sy = sin(yaw);
    float cp = cos(pitch), sp = sin(pitch);
    float cr = cos(roll), sr = sin(roll);
    return mat3(cy, 0.0, -sy, 0.0, 1.0, 0.0, sy, 0.0, cy)
        * mat3(1.0, 0.0, 0.0, 0.0, cp, sp, 0.0, -sp, cp)
        * mat3(cr, sr, 0.0, -sr, cr, 0.0, 0.0, 0.0, 1.0);
}

mat4 perspective(float focal, float near, float far)
{
    return mat4(
        focal, 0.0, 0.0, 0.0,
        0.0, focal, 0.0, 0.0,
        0.0, 0.0, -(far + near) / (far - near), -1.0,
        0.0, 0.0, -2.0 * far * near / (far - near), 0.0);
}

// Distance to the segment a-b in xy, and the depth of its nearest point in z.
vec2 segment(vec2 p, vec3 a, vec3 b)
{
    vec2 along = b.xy - a.xy;
    float t = clamp(dot(p - a.xy, along) / dot(along, along), 0.0, 1.0);
    return vec2(length(p - a.xy - t * along), mix(a.z, b.z, t));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    mat4 projection = perspective(2.1, 0.1, 20.0);
    vec3 colour = mix(vec3(0.03, 0.04, 0.09), vec3(0.10, 0.05, 0.14), 0.5 + 0.5 * p.y);

    // Three cubes inside each other, each turning at its own pace.
    for (int shell = 0; shell < 3; shell++) {
        float k = float(shell);
        mat3 rotation = turn(iTime * (0.7 - 0.3 * k) + k, 0.6 + iTime * 0.41, 0.3 * k * iTime);
        float size = 1.0 - 0.32 * k;
        vec3 tint = 0.55 + 0.45 * cos(vec3(0.2, 2.0, 4.2) + 1.5 * k + 0.3 * iTime);

        for (int edge = 0; edge < 12; edge++) {
            int axis = edge / 4;
            float u = float(edge % 2) * 2.0 - 1.0;
            float v = float((edge / 2) % 2) * 2.0 - 1.0;
            vec3 from = vec3(-1.0, u, v);
            vec3 to = vec3(1.0, u, v);
            if (axis == 1) {
                from = from.zxy;
                to = to.zxy;
            } else if (axis == 2) {
                from = from.yzx;
                to = to.yzx;
            }
            vec4 a = projection * vec4(rotation * from * size + vec3(0.0, 0.0, -4.6), 1.0);
            vec4 b = projection * vec4(rotation * to * size + vec3(0.0, 0.0, -4.6), 1.0);
            vec2 line = segment(p, vec3(a.xy / a.w, a.w), vec3(b.xy / b.w, b.w));
            float fade = exp(-0.55 * (line.y - 3.0));
            colour += tint * fade * (0.0022 / (line.x * line.x * 18.0 + 0.0012));
        }
    }
    fragColor = vec4(1.0 - exp(-1.1 * colour), 1.0);
}
