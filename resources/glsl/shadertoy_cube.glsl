layout(set = 0, binding = 5, std140) uniform ShadertoyCube {
    int iCubeFace;
};
// The direction a texel of the face lies in (Vulkan specification, "Cube Map Face Selection").
vec3 shaderlab_direction() {
    vec2 p = 2.0 * gl_FragCoord.xy / iResolution.xy - 1.0;
    vec3 d = vec3(-p.x, -p.y, -1.0);
    if (iCubeFace == 0) d = vec3(1.0, -p.y, -p.x);
    if (iCubeFace == 1) d = vec3(-1.0, -p.y, p.x);
    if (iCubeFace == 2) d = vec3(p.x, 1.0, p.y);
    if (iCubeFace == 3) d = vec3(p.x, -1.0, -p.y);
    if (iCubeFace == 4) d = vec3(p.x, -p.y, 1.0);
    return normalize(d);
}
