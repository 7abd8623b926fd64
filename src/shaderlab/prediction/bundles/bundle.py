"""Model bundles on disk: a folder with `card.json` and `weights.safetensors`.

A bundle is untrusted input.  Nothing in it names a file, nothing in it is executed; sizes, hash,
names, types, shapes and values are checked before a weight is used, and a bundle that fails is a
`Problem` beside the ones that work.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import safetensors
from safetensors.numpy import save

from shaderlab import files
from shaderlab.errors import InvalidModel, WrongUse
from shaderlab.prediction.bundles.card import MAX_BYTES, Card, WeightsCard

CARD = "card.json"
WEIGHTS = "weights.safetensors"

DOMAIN = "domain"
"""Folder beside the bundles: what the training shaders are like."""
PRODUCTS = "products"
"""Folder beside the bundles: those of GPUs that are predicted where one names or lists them."""

MAX_WEIGHTS_BYTES = 200 * 1024 * 1024
"""Largest weights file accepted, bytes: the paper's network in half precision takes 196 million."""
_MAX_HEADER_BYTES = 1024 * 1024
_MAX_TENSORS = 1024
log = logging.getLogger(__name__)

_TYPES = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4"), "F64": np.dtype("<f8")}


@dataclass(frozen=True)
class Bundle:
    """A bundle whose parts were checked against each other."""

    name: str
    """Name of its folder."""
    card: Card
    tensors: Mapping[str, np.ndarray]
    """Finite floating-point arrays by name, read-only."""


@dataclass(frozen=True)
class Problem:
    """A bundle that was refused."""

    bundle: str
    """Name of its folder."""
    reason: str
    """One line: what is wrong with it."""


def read(folder: Path) -> Bundle:
    """The bundle in `folder`.  Raises `InvalidModel` with the reason and the folder's name."""
    try:
        return _read(folder)
    except InvalidModel as error:
        raise InvalidModel(f"{folder.name}: {error}") from None


def _read(folder: Path) -> Bundle:
    card = Card.parse(read_card(folder))
    return Bundle(folder.name, card, read_tensors(folder, card.weights))


@contextmanager
def refusing(name: str, problems: list[Problem]) -> Iterator[None]:
    """Whatever goes wrong inside is a problem of the bundle in the folder `name`, and of it alone.

    Checks raise `InvalidModel`; anything else is a check that is missing, and is logged.  But for
    `MemoryError`, of which no bundle is to blame.
    """
    try:
        yield
    except MemoryError:
        raise
    except InvalidModel as error:
        problems.append(Problem(name, f"{name}: {error}"))
    except Exception as error:
        log.warning("the bundle %s cannot be read", name, exc_info=True)
        first_line = (str(error).splitlines() or [""])[0][:200]
        problems.append(Problem(name, f"{name}: damaged ({type(error).__name__}: {first_line})"))


def read_card(folder: Path) -> bytes:
    """The card as it lies on disk.  Raises `InvalidModel` for a missing or huge one."""
    return _read_file(folder / CARD, MAX_BYTES)


def read_tensors(folder: Path, expected: WeightsCard) -> dict[str, np.ndarray]:
    """The tensors beside a card that states their size and hash.  Raises `InvalidModel`."""
    data = _read_file(folder / WEIGHTS, MAX_WEIGHTS_BYTES)
    if len(data) != expected.bytes:
        raise InvalidModel(f"{WEIGHTS}: {len(data)} bytes, the card says {expected.bytes}")
    if hashlib.sha256(data).hexdigest() != expected.sha256:
        raise InvalidModel(f"{WEIGHTS}: SHA-256 differs from the card's")
    return _parse_weights(data)


def read_all(folder: Path) -> tuple[tuple[Bundle, ...], tuple[Problem, ...]]:
    """All bundles in the subfolders of `folder`, by name, and those that were refused.

    `DOMAIN` and subfolders with neither card nor weights, such as data sets, are passed over.
    """
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    try:
        candidates = sorted(
            each
            for each in folder.iterdir()
            if each.is_dir()
            and not each.name.startswith(".")
            and each.name != DOMAIN
            and any((each / name).exists() for name in (CARD, WEIGHTS))
        )
    except OSError as error:
        return (), (Problem(folder.name, f"{folder}: {error.strerror}"),)
    for candidate in candidates:
        with refusing(candidate.name, problems):
            bundles.append(_read(candidate))
    return tuple(bundles), tuple(problems)


def write(folder: Path, card: Card, tensors: Mapping[str, np.ndarray]) -> None:
    """Write a bundle; size and hash of the weights are filled into the card.

    The same card and tensors always give the same bytes.
    """
    weights = write_tensors(folder, tensors)
    (folder / CARD).write_text(replace(card, weights=weights).to_json(), encoding="utf-8")


def write_tensors(folder: Path, tensors: Mapping[str, np.ndarray]) -> WeightsCard:
    """Write what `read_tensors` reads; size and hash for the card."""
    data = save({name: np.ascontiguousarray(tensors[name]) for name in sorted(tensors)})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WEIGHTS).write_bytes(data)
    return WeightsCard(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


def check_shapes(tensors: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises `InvalidModel` unless exactly these tensors are there, in these shapes."""
    if set(tensors) != set(shapes):
        odd = sorted(set(tensors) ^ set(shapes))[0]
        raise InvalidModel(f"weights: {odd[:80]!r} is missing or has no use")
    for name, shape in shapes.items():
        if tensors[name].shape != shape:
            raise InvalidModel(f"weights: {name}: shape {tensors[name].shape} is not {shape}")


def check_within(tensors: Mapping[str, np.ndarray], name: str, low: float, high: float) -> None:
    """Raises `InvalidModel` where a value of a tensor lies outside."""
    # Compared in float64: a bound itself may round to the far side of it in float32.
    values = tensors[name].astype(np.float64)
    if not ((values >= low * (1 - 1e-6)) & (values <= high * (1 + 1e-6))).all():
        raise InvalidModel(f"weights: {name}: a value outside {low:g} to {high:g}")


def _read_file(path: Path, most: int) -> bytes:
    if not path.exists():
        raise InvalidModel(f"{path.name}: missing")
    try:
        return files.read_bytes(path, most)
    except WrongUse as error:
        raise InvalidModel(str(error)) from None


def _parse_weights(data: bytes) -> dict[str, np.ndarray]:
    """Tensors of a safetensors file (format: 8 bytes header length, JSON header, data).

    The header's own length is checked here first: the parser would otherwise spend time and memory
    in proportion to whatever the file claims.
    """
    if len(data) < 8:
        raise InvalidModel(f"{WEIGHTS}: truncated before its header")
    (header_bytes,) = struct.unpack_from("<Q", data)
    if header_bytes > min(_MAX_HEADER_BYTES, len(data) - 8):
        raise InvalidModel(f"{WEIGHTS}: header of {header_bytes} bytes does not fit")
    try:
        entries = safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        raise InvalidModel(f"{WEIGHTS}: {error}") from None
    if len(entries) > _MAX_TENSORS:
        raise InvalidModel(f"{WEIGHTS}: {len(entries)} tensors, at most {_MAX_TENSORS} are read")
    tensors = {}
    for name, entry in entries:
        shown = json.dumps(name[:80])
        dtype = _TYPES.get(entry["dtype"])
        if dtype is None:
            raise InvalidModel(f"{WEIGHTS}: {shown} is of type {entry['dtype']}, not a float")
        shape = tuple(entry["shape"])
        if len(entry["data"]) != math.prod(shape) * dtype.itemsize:
            raise InvalidModel(f"{WEIGHTS}: {shown}: data does not fill its shape")
        values = np.frombuffer(bytes(entry["data"]), dtype).reshape(shape)
        if not np.isfinite(values).all():
            raise InvalidModel(f"{WEIGHTS}: {shown} holds a value that is not finite")
        tensors[name] = values
    return tensors
