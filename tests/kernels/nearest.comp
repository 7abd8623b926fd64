#version 450
// Nearest neighbour: the distance of each record to a place, and how many are within reach.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Records { vec2 records[]; };
layout(binding = 1) writeonly buffer Distances { float distances[]; };
layout(binding = 2) buffer Count { uint near; };
layout(push_constant) uniform Constants { vec2 place; uint n; float reach; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) {
        return;
    }
    vec2 off = records[i] - place;
    float squared = dot(off, off);
    distances[i] = sqrt(squared); // @record
    if (squared < reach * reach) {
        atomicAdd(near, 1u); // @near
    }
}
