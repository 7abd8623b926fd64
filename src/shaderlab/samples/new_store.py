"""A store made with all it is to hold."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from shaderlab import files
from shaderlab.errors import NotWritten
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store


def make(path: Path, samples: Iterable[Sample]) -> None:
    """A new store that holds samples, at once or not at all.

    Raises NotWritten where it cannot be written, or another process has made one meanwhile.
    """
    try:
        with (
            files.new_folder(path.parent),
            tempfile.TemporaryDirectory(prefix=f".{path.name[:60]}.", dir=path.parent) as folder,
        ):
            made = Path(folder) / path.name
            with Store(made) as store:
                store.add(samples)
                store.settle()
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "another process has made it meanwhile")
            made.rename(path)
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {files.reason(error)}") from None
