#version 450
// Sparse matrix times vector, compressed rows, an invocation for each row.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Rows { uint rows[]; };
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
    uint last = rows[row + 1u];
    for (uint at = rows[row]; at < last; at++) {
        sum += values[at] * x[columns[at]]; // @product
    }
    y[row] = sum; // @row
}
