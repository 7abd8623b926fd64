"""RenderDoc's words for states and formats in Vulkan's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from shaderlab.errors import WrongUse

COMPARE = {
    "Never": "NEVER",
    "AlwaysTrue": "ALWAYS",
    "Less": "LESS",
    "LessEqual": "LESS_OR_EQUAL",
    "Greater": "GREATER",
    "GreaterEqual": "GREATER_OR_EQUAL",
    "Equal": "EQUAL",
    "NotEqual": "NOT_EQUAL",
}
STENCIL = {
    "Keep": "KEEP",
    "Zero": "ZERO",
    "Replace": "REPLACE",
    "IncSat": "INCREMENT_AND_CLAMP",
    "DecSat": "DECREMENT_AND_CLAMP",
    "IncWrap": "INCREMENT_AND_WRAP",
    "DecWrap": "DECREMENT_AND_WRAP",
    "Invert": "INVERT",
}
FACTOR = {
    "Zero": "ZERO",
    "One": "ONE",
    "SrcCol": "SRC_COLOR",
    "InvSrcCol": "ONE_MINUS_SRC_COLOR",
    "DstCol": "DST_COLOR",
    "InvDstCol": "ONE_MINUS_DST_COLOR",
    "SrcAlpha": "SRC_ALPHA",
    "InvSrcAlpha": "ONE_MINUS_SRC_ALPHA",
    "DstAlpha": "DST_ALPHA",
    "InvDstAlpha": "ONE_MINUS_DST_ALPHA",
    "SrcAlphaSat": "SRC_ALPHA_SATURATE",
    "FactorRGB": "CONSTANT_COLOR",
    "InvFactorRGB": "ONE_MINUS_CONSTANT_COLOR",
    "FactorAlpha": "CONSTANT_ALPHA",
    "InvFactorAlpha": "ONE_MINUS_CONSTANT_ALPHA",
    "Src1Col": "SRC1_COLOR",
    "InvSrc1Col": "ONE_MINUS_SRC1_COLOR",
    "Src1Alpha": "SRC1_ALPHA",
    "InvSrc1Alpha": "ONE_MINUS_SRC1_ALPHA",
}
BLEND = {
    "Add": "ADD",
    "Subtract": "SUBTRACT",
    "ReversedSubtract": "REVERSE_SUBTRACT",
    "Minimum": "MIN",
    "Maximum": "MAX",
}
LOGIC = {
    "NoOp": "NO_OP",
    "Clear": "CLEAR",
    "Set": "SET",
    "Copy": "COPY",
    "CopyInverted": "COPY_INVERTED",
    "Invert": "INVERT",
    "And": "AND",
    "Nand": "NAND",
    "Or": "OR",
    "Nor": "NOR",
    "Xor": "XOR",
    "Equivalent": "EQUIVALENT",
    "AndReverse": "AND_REVERSE",
    "AndInverted": "AND_INVERTED",
    "OrReverse": "OR_REVERSE",
    "OrInverted": "OR_INVERTED",
}
CULL = {
    "NoCull": "NONE",
    "Front": "FRONT_BIT",
    "Back": "BACK_BIT",
    "FrontAndBack": "FRONT_AND_BACK",
}
FILL = {"Solid": "FILL", "Wireframe": "LINE"}
TOPOLOGY = {
    "TriangleList": "TRIANGLE_LIST",
    "TriangleStrip": "TRIANGLE_STRIP",
    "TriangleFan": "TRIANGLE_FAN",
    "LineList": "LINE_LIST",
    "LineStrip": "LINE_STRIP",
    "PointList": "POINT_LIST",
}
ADDRESS = {
    "Wrap": "REPEAT",
    "Mirror": "MIRRORED_REPEAT",
    "MirrorOnce": "MIRROR_CLAMP_TO_EDGE",
    "ClampEdge": "CLAMP_TO_EDGE",
    "ClampBorder": "CLAMP_TO_BORDER",
}
FILTER = {
    "NoFilter": "NEAREST",
    "Point": "NEAREST",
    "Linear": "LINEAR",
    "Anisotropic": "LINEAR",
}
SWIZZLE = {
    "Red": "R",
    "Green": "G",
    "Blue": "B",
    "Alpha": "A",
    "Zero": "ZERO",
    "One": "ONE",
}
_FORMATS = {
    "D16": "D16_UNORM",
    "D24": "X8_D24_UNORM_PACK32",
    "D32": "D32_SFLOAT",
    "S8": "S8_UINT",
    "D16S8": "D16_UNORM_S8_UINT",
    "D24S8": "D24_UNORM_S8_UINT",
    "D32S8": "D32_SFLOAT_S8_UINT",
    "R11G11B10_FLOAT": "B10G11R11_UFLOAT_PACK32",
    "R9G9B9E5_FLOAT": "E5B9G9R9_UFLOAT_PACK32",
    "R10G10B10A2_UNORM": "A2B10G10R10_UNORM_PACK32",
    "R10G10B10A2_UINT": "A2B10G10R10_UINT_PACK32",
    "B10G10R10A2_UNORM": "A2R10G10B10_UNORM_PACK32",
    # RenderDoc names these by the lowest bits first; it gives the two with one bit of
    # alpha, Vulkan's A1R5G5B5 and R5G5B5A1, one name.
    "R5G6B5_UNORM": "B5G6R5_UNORM_PACK16",
    "B5G6R5_UNORM": "R5G6B5_UNORM_PACK16",
    "R4G4B4A4_UNORM": "B4G4R4A4_UNORM_PACK16",
    "B4G4R4A4_UNORM": "R4G4B4A4_UNORM_PACK16",
    "B5G5R5A1_UNORM": "A1R5G5B5_UNORM_PACK16",
    "R5G5B5A1_UNORM": "B5G5R5A1_UNORM_PACK16",
    "BC1_UNORM": "BC1_RGBA_UNORM_BLOCK",
    "BC1_SRGB": "BC1_RGBA_SRGB_BLOCK",
    "BC6_UFLOAT": "BC6H_UFLOAT_BLOCK",
    "BC6_SFLOAT": "BC6H_SFLOAT_BLOCK",
}


def word(table: Mapping[str, str], given: str, what: str) -> str:
    """Vulkan's word.  Raises WrongUse, a sentence for people, where there is none."""
    if given not in table:
        raise WrongUse(f"its {what} is {given[:40]!r}, which is not replayed")
    return table[given]


def format_name(given: str) -> str:
    """Vulkan's name of a format, without `VK_FORMAT_`; unknown ones stay as they are."""
    if given in _FORMATS:
        return _FORMATS[given]
    if re.fullmatch(r"BC\d_\w+", given):
        return f"{given}_BLOCK"
    return given.replace("_FLOAT", "_SFLOAT")
