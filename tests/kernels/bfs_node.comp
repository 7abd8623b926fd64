#version 450
// One level of a breadth-first search, an invocation for each node.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Rows { uint rows[]; };
layout(binding = 1) readonly buffer Edges { uint edges[]; };
layout(binding = 2) buffer Levels { uint levels[]; };
layout(push_constant) uniform Constants { uint n; uint level; };

void main()
{
    uint node = gl_GlobalInvocationID.x;
    if (node >= n || levels[node] != level) {
        return;
    }
    uint last = rows[node + 1u];
    for (uint edge = rows[node]; edge < last; edge++) {
        uint other = edges[edge]; // @edge
        if (atomicCompSwap(levels[other], 0xFFFFFFFFu, level + 1u) == 0xFFFFFFFFu) {
            uint found = other; // @found
        }
    }
}
