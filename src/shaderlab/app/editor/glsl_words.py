"""Words to colour: of GLSL (ESSL 3.10 and GLSL 4.50, §3.6, §7, §8) and of Shadertoy."""

from __future__ import annotations

KEYWORDS = """
attribute const uniform varying buffer shared coherent volatile restrict readonly writeonly
layout centroid flat smooth noperspective patch sample invariant precise subroutine
break continue do for while switch case default if else in out inout true false discard return
lowp mediump highp precision struct
"""

_SIZES = (2, 3, 4)

TYPES = " ".join(
    [
        "void bool int uint float double atomic_uint sampler",
        "sampler2DShadow samplerCubeShadow sampler2DArrayShadow",
        *(f"{kind}vec{n}" for kind in ("", "i", "u", "b", "d") for n in _SIZES),
        *(f"{p}mat{n}{by}" for p in ("", "d") for n in _SIZES for by in ("", "x2", "x3", "x4")),
        *(
            f"{prefix}{kind}{shape}"
            for kind in ("sampler", "texture", "image")
            for prefix in ("", "i", "u")
            for shape in ("2D", "3D", "Cube", "2DArray", "1D", "2DMS", "Buffer", "2DRect")
        ),
    ]
)

BUILTINS = """
radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
pow exp log exp2 log2 sqrt inversesqrt
abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep
isnan isinf floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat fma frexp ldexp
packUnorm2x16 packSnorm2x16 packUnorm4x8 packSnorm4x8 unpackUnorm2x16 unpackSnorm2x16
unpackUnorm4x8 unpackSnorm4x8 packHalf2x16 unpackHalf2x16 packDouble2x32 unpackDouble2x32
length distance dot cross normalize faceforward reflect refract
matrixCompMult outerProduct transpose determinant inverse
lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any all not
uaddCarry usubBorrow umulExtended imulExtended bitfieldExtract bitfieldInsert bitfieldReverse
bitCount findLSB findMSB
textureSize textureQueryLod textureQueryLevels texture textureProj textureLod textureOffset
texelFetch texelFetchOffset textureProjOffset textureLodOffset textureProjLod textureGrad
textureGradOffset textureProjGrad textureGather textureGatherOffset texture2D textureCube
imageSize imageLoad imageStore
dFdx dFdy dFdxFine dFdyFine dFdxCoarse dFdyCoarse fwidth fwidthFine fwidthCoarse
gl_FragCoord gl_FrontFacing gl_PointCoord gl_FragDepth gl_SampleID gl_SamplePosition
gl_HelperInvocation
iResolution iTime iTimeDelta iFrame iFrameRate iMouse iDate iSampleRate iChannelTime
iChannelResolution iChannel0 iChannel1 iChannel2 iChannel3 mainImage
"""
