"""Storage buffers whose bytes come from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.scene.bound import Bound, BoundBuffer
from shaderlab.scene.buffer_contents import MOST_BYTES
from shaderlab.scene.contents import Contents, Piece
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Resource, ResourceKind


def buffer_names(program: Program) -> dict[str, Resource]:
    """By name, each storage buffer of a program: of an anonymous block also by its members'."""
    found: dict[str, Resource] = {}
    for resource in program.interface.resources:
        if resource.kind is not ResourceKind.STORAGE_BUFFER or resource.block is None:
            continue
        found.setdefault(resource.name, resource)
        if resource.is_anonymous:
            for member in resource.block.members:
                found.setdefault(member.name, resource)
    return found


def buffer_named(program: Program, name: str) -> Resource:
    """Raises WrongUse, with the names there are."""
    known = buffer_names(program)
    if name not in known:
        listed = ", ".join(map(printable, known)) or "none"
        raise WrongUse(f"{program.name} has no storage buffer {printable(name)}; it has: {listed}")
    return known[name]


def from_files(program: Program, given: Mapping[str, Path]) -> Bound:
    """Buffers with the bytes of files, by name.  Raises WrongUse."""
    resources = {}
    for name, path in given.items():
        resource = buffer_named(program, name)
        data = files.read_bytes(path, MOST_BYTES)
        if not data:
            raise WrongUse(f"{path} is empty: {name} needs at least one element")
        piece = Piece(hashlib.sha256(data).hexdigest(), 0, len(data))
        resources[resource.descriptor] = (BoundBuffer(Contents(path.resolve(), (piece,))),)
    return Bound(resources)
