#version 450
// Last step of a scan: each workgroup scans its stretch, tile by tile, on top of the sums before.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) readonly buffer Sums { uint before[]; };
layout(binding = 2) writeonly buffer Out { uint scanned[]; };
layout(push_constant) uniform Constants { uint n; };

shared uint part[64];

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint stretch = (n + gl_NumWorkGroups.x - 1u) / gl_NumWorkGroups.x;
    uint first = gl_WorkGroupID.x * stretch;
    uint last = min(n, first + stretch);
    uint carried = before[gl_WorkGroupID.x];
    for (uint tile = first; tile < last; tile += 64u) {
        uint i = tile + own;
        uint value = 0u;
        if (i < last) {
            value = values[i]; // @element
        }
        part[own] = value;
        barrier();
        for (uint offset = 1u; offset < 64u; offset <<= 1) {
            uint left = 0u;
            if (own >= offset) {
                left = part[own - offset]; // @left
            }
            barrier();
            part[own] += left;
            barrier();
        }
        if (i < last) {
            scanned[i] = carried + part[own]; // @written
        }
        carried += part[63];
        barrier();
    }
}
