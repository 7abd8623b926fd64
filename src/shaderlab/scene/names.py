"""The words of an identifier, spelled one way, so that rules about names can be short."""

from __future__ import annotations

import re
from functools import lru_cache

_HUNGARIAN = frozenset(
    ("u", "g", "m", "i", "s", "f", "v", "c", "k", "b", "in", "pc", "ps", "vs", "fs", "cb", "my",
     "the", "uniform")
)  # fmt: skip
_SAYS_NOTHING = _HUNGARIAN | {
    "uniforms", "ubo", "push", "const", "constants", "params", "globals", "global", "scene", "per",
    "frame", "object", "settings", "data", "buffer",
}  # fmt: skip
_SAME = {
    "color": "colour", "colors": "colour", "colours": "colour", "col": "colour",
    "pos": "position", "positions": "position", "dir": "direction", "vec": "direction",
    "directions": "direction", "vector": "direction", "loc": "position", "location": "position",
    "cam": "camera", "viewer": "camera", "observer": "camera", "eye": "camera",
    "lights": "light", "lamp": "light", "sun": "light", "sunlight": "light",
    "proj": "projection", "perspective": "projection", "persp": "projection",
    "inv": "inverse", "inverted": "inverse", "invert": "inverse", "rcp": "inverse",
    "one": "inverse", "res": "resolution", "dim": "size", "dims": "size", "dimensions": "size",
    "dimension": "size", "extent": "size", "sz": "size", "num": "number", "nb": "number",
    "amb": "ambient", "spec": "specular", "tex": "texture", "textures": "texture", "img": "image",
    "mtx": "matrix", "mat": "matrix", "transform": "matrix", "xform": "matrix", "tf": "matrix",
    "prev": "previous", "last": "previous", "cursor": "mouse", "pointer": "mouse",
    "touch": "mouse", "samplers": "sampler", "maps": "map", "bump": "height",
    "displacement": "height", "normals": "normal", "rough": "roughness", "metal": "metallic",
    "metalness": "metallic", "env": "environment", "sky": "environment",
    "skybox": "environment", "random": "noise", "rand": "noise", "perlin": "noise",
    "dither": "noise",
}  # fmt: skip
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_RUN_TOGETHER = re.compile(
    "viewport|view|projection|proj|model|world|normal|inverse|inv|matrix|mat|light|camera|cam|eye|"
    "sun|position|pos|direction|dir|colou?r|screen|window|mouse|frame|delta|texture|texel|tex|"
    "noise|depth|shadow|buffer|diffuse|albedo|environment|env|cube|base|resolution|size|count|"
    "index|time|map"
)
_COMPOSED = re.compile(f"(?:{_RUN_TOGETHER.pattern}){{2,}}")


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """`u_lightPos`, `LightPosition` and `g_light_pos0` are all `light`, `position`.

    Digits, indices and the prefixes and block names that say nothing are left out; `world2view` is
    `world`, `to`, `view`.
    """
    plain = re.sub(r"\[\d*\]", " ", name[:200])
    plain = re.sub(r"(?<=[a-z])2(?=[A-Za-z])", "_to_", plain)
    found: list[str] = []
    for part in _PARTS.findall(plain):
        if part.isdigit():
            continue
        lower = part.lower()
        parts = _RUN_TOGETHER.findall(lower) if _COMPOSED.fullmatch(lower) else [lower]
        found += [_SAME.get(str(each), str(each)) for each in parts]
    while len(found) > 1 and found[0] in _HUNGARIAN:
        del found[0]
    return tuple(found)


@lru_cache(maxsize=4096)
def in_context(path: str) -> tuple[tuple[str, ...], ...]:
    """The words a rule may match, the likeliest first: with what it is a member of, and alone.

    `lights[2].position` is `light position`, then `position`; a block's own name says nothing.
    """
    *around, last = path.split(".")
    own = words(last)
    if not around:
        return (own,)
    parent = words(around[-1])
    if not parent or parent[0] in _SAYS_NOTHING:
        return (own,)
    return (parent + own, own)
