#version 450
// White if a loop of 70,000 trips ran to its end, black if the driver cut it short.
// Build: glslangValidator -V --target-env vulkan1.0 loops.frag -o loops.frag.spv

layout(location = 0) out vec4 colour;

void main()
{
    float x = gl_FragCoord.x;
    int trips = 0;
    for (int i = 0; i < 70000; i++) {
        x = fract(x * 1.1 + 0.3);
        if (x >= 0.0)
            trips++;
    }
    colour = vec4(trips == 70000 ? 1.0 : 0.0);
}
