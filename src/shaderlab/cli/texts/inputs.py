"""A shader's inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.traces import place
from shaderlab.scene.defaults import affected, shown_value
from shaderlab.scene.inputs import Source
from shaderlab.scene.launch_meanings import is_filled
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.scene.textures import ImageFile, PassPicture, Pattern, Texture
from shaderlab.spirv.analysis.influence import Decision
from shaderlab.spirv.value_types import Component

Row = tuple[ShaderInput, Decision | None]


def data(rows: Sequence[Row]) -> dict[str, Any]:
    """`value`: a number or boolean, a list of the components, or what a texture shows."""
    return {"inputs": [_entry(each, decision) for each, decision in rows]}


def _entry(each: ShaderInput, decision: Decision | None) -> dict[str, Any]:
    at = each.descriptor
    return {
        "name": each.name,
        "kind": each.kind.value,
        "type": each.type,
        "set": at.set if at else None,
        "binding": at.binding if at else None,
        "location": each.location,
        "value": _value(each),
        "source": each.source.value,
        "decides": decision is not None,
        "decides_lines": [place(at) for at in decision.lines] if decision else [],
        "meaning": each.meaning.name if each.meaning else None,
        "certain": not each.is_unsettled,
    }


def _value(each: ShaderInput) -> Any:
    if each.value is None or is_filled(each.meaning):
        return None
    if isinstance(each.value, Texture):
        source = each.value.source
        if isinstance(source, ImageFile):
            return str(source.path)
        if isinstance(source, PassPicture):
            return f"pass {source.name}"
        return source.value if isinstance(source, Pattern) else "noise"
    component = each.numeric.component if each.numeric else Component.FLOAT
    kind = {Component.FLOAT: float, Component.BOOL: bool}.get(component, int)
    numbers = [kind(number) for number in each.value]
    return numbers[0] if len(numbers) == 1 and not each.lengths else numbers


def text(name: str, rows: Sequence[Row]) -> str:
    if not rows:
        return f"{one_line(name)} reads nothing"
    return table(
        ("name", "kind", "type", "value", "from", "affects"),
        (
            (
                one_line(each.name),
                each.kind.value,
                each.type,
                one_line(shown_value(each)),
                _source(each),
                _affected(decision),
            )
            for each, decision in rows
        ),
    )


def _source(each: ShaderInput) -> str:
    if each.value is None:
        return ""
    if each.source is not Source.DEFAULT or each.meaning is None:
        return each.source.value
    guess = "guessed: " if not each.meaning.is_certain else ""
    return f"{guess}{each.meaning.name}"


def _affected(decision: Decision | None) -> str:
    return ", ".join(affected(decision.effects)) if decision else ""
