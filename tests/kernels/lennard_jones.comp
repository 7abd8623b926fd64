#version 450
// Molecular dynamics: the Lennard-Jones force on each atom from a list of its neighbours.

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Positions { vec4 positions[]; };
layout(binding = 1) readonly buffer Neighbours { uint neighbours[]; };
layout(binding = 2) writeonly buffer Forces { vec4 forces[]; };
layout(push_constant) uniform Constants { uint n; uint most; float cutoff_squared; };

void main()
{
    uint atom = gl_GlobalInvocationID.x;
    if (atom >= n) {
        return;
    }
    vec3 own = positions[atom].xyz;
    vec3 force = vec3(0.0);
    for (uint number = 0u; number < most; number++) {
        uint other = neighbours[number * n + atom]; // @pair
        vec3 off = own - positions[other].xyz;
        float squared = dot(off, off);
        if (squared < cutoff_squared && squared > 0.0) {
            float inverse = 1.0 / squared; // @force
            float sixth = inverse * inverse * inverse;
            force += off * (inverse * sixth * (1.5 * sixth - 2.0));
        }
    }
    forces[atom] = vec4(force, 0.0);
}
