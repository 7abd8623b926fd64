// One colour: nothing but the pass itself.

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(0.2, 0.4, 0.6, 1.0);
}
