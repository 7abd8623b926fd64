#version 450
// Triad of STREAM: one multiplication and one addition for three accesses.

layout(local_size_x = 64, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Constants { uint n; float factor; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        c[i] = a[i] + factor * b[i]; // @element
    }
}
