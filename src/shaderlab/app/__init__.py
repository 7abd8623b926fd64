"""The Qt application: views of plain data.  Never imports vulkan or torch.

Qt itself is imported when a window is asked for, not with this package.
"""

from __future__ import annotations

from pathlib import Path

from shaderlab.app import early


def main(file: Path | None = None) -> int:
    """Open the window, with `file` or the latest document; the process's exit code."""
    early.begin()
    from shaderlab.app.shell.start import run

    return run(file)


def snapshot(
    picture: Path, file: Path | None = None, timeout_s: float = 60.0, theme: str = ""
) -> bool:
    """Save a PNG of the complete window; see `app.start.snapshot`."""
    early.begin()
    from shaderlab.app.shell.start import snapshot as take

    return take(picture, file, timeout_s, theme)
