precision highp float;
precision highp int;
precision mediump sampler3D;
layout(location = 0) out vec4 outColor;
layout(set = 0, binding = 0, std140) uniform ShadertoyInputs {
    vec3 iResolution;
    float iTime;
    vec4 iChannelTime;
    vec4 iMouse;
    vec4 iDate;
    vec3 iChannelResolution[4];
    float iSampleRate;
    int iFrame;
    float iTimeDelta;
    float iFrameRate;
};
