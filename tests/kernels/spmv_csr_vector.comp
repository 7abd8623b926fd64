#version 450
// Sparse matrix times vector, compressed rows, 32 invocations for each row.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Rows { uint rows[]; };
layout(binding = 1) readonly buffer Columns { uint columns[]; };
layout(binding = 2) readonly buffer Values { float values[]; };
layout(binding = 3) readonly buffer X { float x[]; };
layout(binding = 4) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Constants { uint n; };

shared float part[64];

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint lane = own & 31u;
    uint row = gl_GlobalInvocationID.x >> 5;
    float sum = 0.0;
    if (row < n) {
        uint last = rows[row + 1u];
        for (uint at = rows[row] + lane; at < last; at += 32u) {
            sum += values[at] * x[columns[at]]; // @product
        }
    }
    part[own] = sum;
    barrier();
    for (uint half_size = 16u; half_size > 0u; half_size >>= 1) {
        if (lane < half_size) {
            part[own] += part[own + half_size]; // @tree
        }
        barrier();
    }
    if (lane == 0u && row < n) {
        y[row] = part[own]; // @row
    }
}
