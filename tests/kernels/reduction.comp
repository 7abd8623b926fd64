#version 450
// Sum of an array by a fixed number of workgroups: a stride over the array, then a tree.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Out { float sums[]; };
layout(push_constant) uniform Constants { uint n; };

shared float part[64];

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    float sum = 0.0;
    for (uint i = gl_GlobalInvocationID.x; i < n; i += stride) {
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
