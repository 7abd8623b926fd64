"""Which shaders are for testing and validation: the same everywhere, whatever the data set."""

from __future__ import annotations

import hashlib
from enum import StrEnum


class Split(StrEnum):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


def split_of(shader_id: str) -> Split:
    """The split of a shader, from its id alone: int(sha1(id), 16) % 10 is 0 test, 1 validation.

    Every variant, device and size of one shader falls into the same split, so nothing a model was
    trained on comes back in its test.
    """
    digit = int(hashlib.sha1(shader_id.encode("utf-8"), usedforsecurity=False).hexdigest(), 16) % 10
    return {0: Split.TEST, 1: Split.VALIDATION}.get(digit, Split.TRAIN)
