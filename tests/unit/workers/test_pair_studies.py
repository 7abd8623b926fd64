"""What is told of a study that failed."""

from __future__ import annotations

import pytest

from shaderlab.workers.pair_studies import _error


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            b'{"error": "sklearn is missing", "remedy": "Install it."}',
            "sklearn is missing. Install it.",
        ),
        (b'{"error": "no such file", "remedy": null}', "no such file"),
        (b'{"error": 3}', "shaderlab pairs ended with code 2"),
        (b"[]", "shaderlab pairs ended with code 2"),
        (b"\xff", "shaderlab pairs ended with code 2"),
    ],
)
def test_the_error_and_its_remedy_are_told(answer: bytes, told: str) -> None:
    assert _error(answer, 2) == told
