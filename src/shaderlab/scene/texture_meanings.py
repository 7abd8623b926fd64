"""What a texture is likely to hold, from its name and type, and the pattern that stands for it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from shaderlab.scene.names import words
from shaderlab.scene.textures import BLACK, Pattern, Texture
from shaderlab.spirv.reflection import ResourceKind
from shaderlab.spirv.value_types import Component, Image


class TextureMeaning(NamedTuple):
    """One thing a texture can hold."""

    name: str
    """As shown: `normal map`."""
    texture: Texture
    is_certain: bool
    """Whether the name alone settles it; else it is a guess and shown as one."""


@lru_cache(maxsize=4096)
def texture_meaning(name: str, image: Image | None, kind: ResourceKind) -> TextureMeaning | None:
    """What the texture of that name shows, as far as that is known; None: black."""
    plain = re.sub(r"\[\d*\]", "", name.rsplit(".", 1)[-1])
    if re.fullmatch(r"iChannel\d", plain):
        return TextureMeaning("an empty channel", BLACK, is_certain=True)
    if image is None or kind not in _READ or image.component is not Component.FLOAT:
        return None
    if image.depth:
        return TextureMeaning("shadow map: all lit", Texture(Pattern.WHITE), is_certain=False)
    found = " ".join(words(plain))
    for pattern, text, shown in _RULES:
        if pattern.search(found):
            return TextureMeaning(text, Texture(shown), is_certain=False)
    return TextureMeaning("a picture", Texture(Pattern.GRADIENT), is_certain=False)


_READ = frozenset(
    (ResourceKind.SAMPLED_TEXTURE, ResourceKind.TEXTURE, ResourceKind.INPUT_ATTACHMENT)
)

_RULES = [
    (re.compile(rf"\b(?:{pattern})\b"), text, shown)
    for pattern, text, shown in (
        ("feedback|history|previous|back buffer|double buffer|accumulation|accum", "a picture yet "
         "to be drawn", Pattern.BLACK),
        ("shadow|shadows|csm", "shadow map: all lit", Pattern.WHITE),
        ("blue noise|bluenoise", "blue noise", Pattern.BLUE_NOISE),
        ("noise|grain|voronoi|worley", "noise", Pattern.NOISE),
        ("lut|ramp|gradient|palette|brdf|ltc", "a table of colours", Pattern.GRADIENT),
        ("normal|nrm|nmap", "normal map", Pattern.NORMAL_MAP),
        ("height|parallax|heightmap|relief", "heights", Pattern.NOISE),
        ("depth|zbuffer", "depth: far", Pattern.WHITE),
        ("ao|ssao|occlusion|mask|opacity|alpha|lightmap|light map", "nothing hidden",
         Pattern.WHITE),
        ("emissive|emission|bloom|glow|dirt|coc", "nothing", Pattern.BLACK),
        ("environment|irradiance|prefiltered|radiance|reflection|refraction|cube|cubemap|specular|"
         "background|position|roughness|metallic|orm", "smooth colours", Pattern.GRADIENT),
        ("albedo|diffuse|base colour|colour|basecolour|checker|pattern|tile|floor|ground|wall",
         "surface colours", Pattern.CHECKER),
    )
]  # fmt: skip
"""Over the words of the name; the first that fits."""
