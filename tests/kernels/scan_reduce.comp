#version 450
// First step of a scan: the sum of each workgroup's own stretch of the array.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint sums[]; };
layout(push_constant) uniform Constants { uint n; };

shared uint part[64];

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint stretch = (n + gl_NumWorkGroups.x - 1u) / gl_NumWorkGroups.x;
    uint first = gl_WorkGroupID.x * stretch;
    uint last = min(n, first + stretch);
    uint sum = 0u;
    for (uint i = first + own; i < last; i += 64u) {
        sum += values[i]; // @element
    }
    part[own] = sum;
    barrier();
    for (uint half_size = 32u; half_size > 0u; half_size >>= 1) {
        if (own < half_size) {
            part[own] += part[own + half_size]; // @tree
        }
        barrier();
    }
    if (own == 0u) {
        sums[gl_WorkGroupID.x] = part[0]; // @group
    }
}
