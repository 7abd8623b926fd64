"""What another program's vertex stage reads: attributes out of buffers, by index and instance."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.scene.contents import Contents


@dataclass(frozen=True)
class VertexAttribute:
    """One input of the stage."""

    location: int
    binding: int
    format: str
    """Word after `VK_FORMAT_`."""
    offset: int
    """Bytes from the start of the vertex."""


@dataclass(frozen=True)
class VertexBuffer:
    """A buffer that vertices or instances lie in."""

    binding: int
    stride: int
    """Bytes between two; 0: all are the first."""
    is_instanced: bool
    """Whether it steps with each instance, else with each vertex."""
    contents: Contents
    """From vertex or instance 0 on."""


@dataclass(frozen=True)
class FetchedVertices:
    """A draw's vertices before its vertex stage; a program of that stage runs over them alone."""

    attributes: tuple[VertexAttribute, ...]
    buffers: tuple[VertexBuffer, ...]
    topology: str
    """Word after `VK_PRIMITIVE_TOPOLOGY_`."""
    count: int
    """Vertices, or indices, of one instance."""
    instances: int = 1
    first: int = 0
    """Vertex of a draw without indices."""
    first_instance: int = 0
    indices: Contents | None = None
    index_bytes: int = 0
    """1, 2 or 4."""
    base: int = 0
    """Added to each index."""
    restart: bool = False
