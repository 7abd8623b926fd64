#version 450
// Assignment step of k-means: the nearest centre of each point.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Points { float points[]; };
layout(binding = 1) readonly buffer Centres { float centres[]; };
layout(binding = 2) writeonly buffer Members { uint members[]; };
layout(push_constant) uniform Constants { uint n; uint clusters; uint features; };

void main()
{
    uint point = gl_GlobalInvocationID.x;
    if (point >= n) {
        return;
    }
    float nearest = 1e30;
    uint member = 0u;
    for (uint cluster = 0u; cluster < clusters; cluster++) {
        float distance = 0.0;
        for (uint feature = 0u; feature < features; feature++) {
            float off = points[feature * n + point] - centres[cluster * features + feature]; // @feature
            distance += off * off;
        }
        if (distance < nearest) {
            nearest = distance; // @nearer
            member = cluster;
        }
    }
    members[point] = member;
}
