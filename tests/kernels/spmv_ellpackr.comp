#version 450
// Sparse matrix times vector, rows padded to one length and stored by columns, with lengths.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Lengths { uint lengths[]; };
layout(binding = 1) readonly buffer Columns { uint columns[]; };
layout(binding = 2) readonly buffer Values { float values[]; };
layout(binding = 3) readonly buffer X { float x[]; };
layout(binding = 4) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Constants { uint n; };

void main()
{
    uint row = gl_GlobalInvocationID.x;
    if (row >= n) {
        return;
    }
    float sum = 0.0;
    uint count = lengths[row];
    for (uint number = 0u; number < count; number++) {
        uint at = number * n + row; // @product
        sum += values[at] * x[columns[at]];
    }
    y[row] = sum; // @row
}
