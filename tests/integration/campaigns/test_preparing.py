"""When shaders are compiled, told by when they are taken up."""

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


def test_held_back_nothing_is_compiled_while_a_shader_is_out():
    shaders = Taken(SOUND["loop1"], BROKEN, SOUND["loop2"], SOUND["loop3"])
    names, kinds = [], []
    with Preparation(optimize=False, held=True) as preparation:
        for number, (shader, prepared) in enumerate(preparation.each(shaders), 1):
            names.append(shader.name)
            kinds.append(type(prepared))
            assert shaders.count == number
            if number != 2:  # the one that does not compile is never timed
                preparation.go_on()
                preparation.go_on()
                assert shaders.count == min(number + 1, 4)
    assert names == ["shader-0", "shader-1", "shader-2", "shader-3"]
    assert kinds == [Prepared, CompileFailed, Prepared, Prepared]


def test_else_some_are_compiled_ahead():
    shaders = Taken(*(SOUND["loop1"] for _ in range(5)))
    with Preparation(optimize=False, ahead=2) as preparation:
        seen = [shaders.count for _ in preparation.each(shaders)]
    assert seen == [3, 4, 5, 5, 5]
