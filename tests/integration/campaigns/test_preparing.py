"""Many shaders compiled one after the other, and when they are taken up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Preparation, Prepared
from shaderlab.errors import CompileFailed
from tests.integration.campaigns.shaders import BROKEN, SOUND


class Taken:
    """Shaders that note how many were taken up."""

    def __init__(self, *texts: str):
        self.count = 0
        self._texts = texts

    def __iter__(self) -> Iterator[Shader]:
        for number, text in enumerate(self._texts):
            self.count += 1
            key = hashlib.sha256(text.encode()).hexdigest()
            yield Shader(f"shader-{number}", key, text=text)


def test_each_shader_comes_with_what_became_of_it_and_in_order():
    shaders = Taken(SOUND["loop1"], BROKEN, SOUND["loop2"], SOUND["loop3"])
    with Preparation(optimize=False, workers=2) as preparation:
        found = [(shader.name, type(prepared)) for shader, prepared in preparation.each(shaders)]
    assert [name for name, _ in found] == ["shader-0", "shader-1", "shader-2", "shader-3"]
    assert [kind for _, kind in found] == [Prepared, CompileFailed, Prepared, Prepared]


def test_a_few_are_taken_up_ahead():
    shaders = Taken(*(SOUND["loop1"] for _ in range(5)))
    with Preparation(optimize=False) as preparation:
        seen = [shaders.count for _ in preparation.each(shaders)]
    assert seen == [3, 4, 5, 5, 5]
