"""Where an invocation that counts its blocks stores its counters, and the code that does."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import EntryPoint
from shaderlab.spirv.passes.rewriting import Rewriter, encode


class Body:
    """The instructions of the function that stores the counters."""

    def __init__(self, rewriter: Rewriter, buffer: int):
        self._rewriter, self._buffer = rewriter, buffer
        self.words: list[int] = []
        self.uint = rewriter.type(Op.TypeInt, 32, 0)
        self._pointer = rewriter.pointer(StorageClass.StorageBuffer, self.uint)

    def emit(self, opcode: int, type: int, *operands: int) -> int:
        """Append an instruction with a result; returns its id."""
        id = self._rewriter.new_id()
        self.words.extend(encode(opcode, type, id, *operands))
        return id

    def constant(self, value: int) -> int:
        return self._rewriter.constant(self.uint, value)

    def unsigned(self, id: int, type: int) -> int:
        """The bits of a 32-bit integer of that type as uint."""
        return id if type == self.uint else self.emit(Op.Bitcast, self.uint, id)

    def word(self, place: int) -> int:
        """Pointer to a word of the counters' buffer."""
        return self.emit(Op.AccessChain, self._pointer, self._buffer, self.constant(0), place)

    def header(self, word: int) -> int:
        return self.emit(Op.Load, self.uint, self.word(self.constant(word)))


class Places(ABC):
    """Where each invocation stores its counters."""

    header_words: int

    def __init__(self, entry: EntryPoint):
        self.entry = entry
        self.words = self.header_words
        """Before the first counter."""

    @abstractmethod
    def declare(self, rewriter: Rewriter) -> list[int]:
        """Declare the inputs it reads; their ids."""

    @abstractmethod
    def place(self, rewriter: Rewriter, body: Body) -> tuple[int, int]:
        """Ids of the place of the invocation's first word, and of how many words further on the
        next one lies."""
