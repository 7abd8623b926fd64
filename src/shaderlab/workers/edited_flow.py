"""What an edited draw changes in the draws after it: what they blend onto, test and read.

A later draw sees what an earlier one left where it names the same image or buffer, and where that
held, in the captured frame, exactly what the earlier draw left in it.  A texture or buffer that
held exactly the same is taken for a copy, unless all of it is one value.  What was cleared, scaled,
or written by a draw that is not replayed stays as it was captured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from shaderlab.captures.frame import CapturedDraw
from shaderlab.gpu.replayed import Replayed
from shaderlab.scene.bound import Bound, BoundBuffer, BoundImage, StoredImage
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import DrawState
from shaderlab.scene.fixed_functions import ColourTarget, DepthTarget, FixedFunctions

_Target = TypeVar("_Target", ColourTarget, DepthTarget)
_Place = tuple[int, str]
"""RenderDoc's number of a resource, and the digest of what it held in the captured frame."""


class EditedFlow:
    """Goes through a frame's draws in order, once.  Not from two threads at a time."""

    def __init__(self, pack: Path):
        """`pack`: a new file for what draws leave; `close` removes it."""
        self._pack, self._end = pack, 0
        self._now: dict[_Place, Contents] = {}
        self._copies: dict[str, Contents] = {}
        """What copies of what draws left hold now, by the digest of what they held."""

    def seen_by(self, draw: CapturedDraw) -> CapturedDraw:
        """The draw with what earlier ones left in place of what was captured; the very same object
        where they changed nothing that it sees."""
        if draw.state is None or not self._now:
            return draw
        state = self._state(draw.state)
        vertex_state = self._state(draw.vertex_state) if draw.vertex_state is not None else None
        if state is draw.state and vertex_state is draw.vertex_state:
            return draw
        return replace(draw, state=state, vertex_state=vertex_state)

    def leaves(self, draw: CapturedDraw, replayed: Replayed) -> None:
        """Keep what a draw left; `replayed` with its outputs.  Raises OSError, and WrongUse for a
        damaged file."""
        for resource, captured, data in _written(draw, replayed):
            made, place = self._kept(data), (resource, captured.digest)
            if made.digest == captured.digest:
                self._now.pop(place, None)
                self._copies.pop(captured.digest, None)
                continue
            self._now[place] = made
            if not _is_plain(captured.read()):
                self._copies[captured.digest] = made

    def close(self) -> None:
        with suppress(OSError):
            self._pack.unlink()

    def _kept(self, data: bytes) -> Contents:
        """Written in pieces as captures are, so that equal bytes have equal digests."""
        pieces = []
        with self._pack.open("ab") as file:
            for start in range(0, len(data), _PIECE):
                part = data[start : start + _PIECE]
                pieces.append(Piece(hashlib.sha256(part).hexdigest(), self._end, len(part)))
                file.write(part)
                self._end += len(part)
        return Contents(self._pack, tuple(pieces))

    def _state(self, state: DrawState) -> DrawState:
        bound, fixed = state.inputs.bound, state.attachments.fixed
        new_bound = self._bound(bound) if bound is not None else None
        new_fixed = self._fixed(fixed) if fixed is not None else None
        if new_bound is bound and new_fixed is fixed:
            return state
        return replace(
            state,
            inputs=replace(state.inputs, bound=new_bound),
            attachments=replace(state.attachments, fixed=new_fixed),
        )

    def _at(self, resource: int, contents: Contents) -> Contents:
        return self._now.get((resource, contents.digest), contents)

    def _read_at(self, resource: int, contents: Contents) -> Contents:
        """The same of what is read, which may be a copy."""
        found = self._at(resource, contents)
        return found if found is not contents else self._copies.get(contents.digest, contents)

    def _fixed(self, fixed: FixedFunctions) -> FixedFunctions:
        colours = tuple(each and self._target(each) for each in fixed.colours)
        depth = fixed.depth and self._target(fixed.depth)
        is_same = depth is fixed.depth and all(
            new is old for new, old in zip(colours, fixed.colours, strict=True)
        )
        return fixed if is_same else replace(fixed, colours=colours, depth=depth)

    def _target(self, target: _Target) -> _Target:
        before = self._at(target.resource, target.before)
        return target if before is target.before else replace(target, before=before)

    def _bound(self, bound: Bound) -> Bound:
        found = {
            at: tuple(map(self._resource, elements)) for at, elements in bound.resources.items()
        }
        is_same = all(
            new is old
            for at, elements in found.items()
            for new, old in zip(elements, bound.resources[at], strict=True)
        )
        return bound if is_same else replace(bound, resources=found)

    def _resource(self, each: BoundBuffer | BoundImage) -> BoundBuffer | BoundImage:
        if isinstance(each, BoundBuffer):
            contents = self._read_at(each.resource, each.contents)
            return each if contents is each.contents else replace(each, contents=contents)
        image = each.image and self._image(each.image)
        return each if image is each.image else replace(each, image=image)

    def _image(self, image: StoredImage) -> StoredImage:
        levels = tuple(
            tuple(self._read_at(image.resource, layer) for layer in layers)
            for layers in image.levels
        )
        return image if levels == image.levels else replace(image, levels=levels)


_PIECE = 1 << 16
"""As `renderdoc_reader.pack` has it."""


def _is_plain(data: bytes) -> bool:
    """Whether all of it is one value, of four bytes at most."""
    return data == (data[:4] * (len(data) // 4 + 1))[: len(data)]


def _written(draw: CapturedDraw, replayed: Replayed) -> Iterable[tuple[int, Contents, bytes]]:
    """Resources that a draw leaves something in, what that was in the captured frame, and now."""
    if draw.state is None:
        return
    fixed, bound = draw.state.attachments.fixed, draw.state.inputs.bound
    if fixed is not None:
        for location, data in replayed.colours.items():
            target = fixed.colours[location]
            if target is not None and target.after is not None:
                yield target.resource, target.after, data
        if replayed.depth is not None and fixed.depth is not None and fixed.depth.after is not None:
            yield fixed.depth.resource, fixed.depth.after, replayed.depth
    if bound is None:
        return
    for at, data in replayed.buffers.items():
        each = bound.resources[at][0]
        if each.after is None:
            continue
        if isinstance(each, BoundBuffer):
            yield each.resource, each.after, data
        elif each.image is not None:
            yield each.image.resource, each.after, data
