#version 450
// One level of a breadth-first search, 32 invocations for each node in turn of a chunk of nodes.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Rows { uint rows[]; };
layout(binding = 1) readonly buffer Edges { uint edges[]; };
layout(binding = 2) buffer Levels { uint levels[]; };
layout(push_constant) uniform Constants { uint n; uint level; uint chunk; };

void main()
{
    uint lane = gl_GlobalInvocationID.x & 31u;
    uint first = (gl_GlobalInvocationID.x >> 5) * chunk;
    uint end = min(n, first + chunk);
    for (uint node = first; node < end; node++) {
        if (levels[node] != level) { // @node
            continue;
        }
        uint last = rows[node + 1u];
        for (uint edge = rows[node] + lane; edge < last; edge += 32u) {
            uint other = edges[edge]; // @edge
            if (atomicCompSwap(levels[other], 0xFFFFFFFFu, level + 1u) == 0xFFFFFFFFu) {
                uint found = other; // @found
            }
        }
    }
}
