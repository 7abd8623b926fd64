// Rotations as products of matrices and vectors.
#define N 5  // also 60

mat2 turn(float a)
{
    return mat2(cos(a), sin(a), -sin(a), cos(a));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = (fragCoord - 0.5 * iResolution.xy) / iResolution.y;
    mat3 m = mat3(0.8, 0.6, 0.0, -0.6, 0.8, 0.0, 0.0, 0.0, 1.0);
    mat3 n = mat3(1.0, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0, -0.8, 0.6);
    vec3 p = vec3(uv, 0.3);
    for (int i = 0; i < N; i++) {
        m = m * n;
        p = m * p + 0.01;
        p.xy = turn(p.z + float(i)) * p.xy;
    }
    fragColor = vec4(0.5 + 0.5 * p, 1.0);
}
