"""The panels' names, titles and shortcuts: commands, menus, docks and layouts read them here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Panel:
    """One panel; the window makes its widget under the same name."""

    name: str
    """Of the command that shows it: `view.NAME`."""
    title: str
    """With the mark of its letter in the menu."""
    shortcut: str
    icon: str = ""

    @property
    def plain_title(self) -> str:
        """As on the dock's tab."""
        return self.title.replace("&", "")


PANELS: tuple[Panel, ...] = (
    Panel("targets", "Predicted &times", "Alt+1", "targets"),
    Panel("inputs", "&Inputs", "Alt+2", "inputs"),
    Panel("hot_lines", "&Hot lines", "Alt+3"),
    Panel("blocks", "&Basic blocks", "Alt+4", "blocks"),
    Panel("device", "This &device", "Alt+5", "device"),
    Panel("compiled", "&GPU compilers", "Alt+6"),
    Panel("samples", "&Samples", "Alt+7"),
    Panel("frame", "Captured &frame", "Alt+8"),
    Panel("studies", "St&udies", "Alt+9"),
    Panel("variants", "&Variants", "Ctrl+Alt+H"),
    Panel("pixel", "Pi&xel values", "Ctrl+Alt+Y"),
    Panel("flow", "Control flo&w", "Ctrl+Alt+J"),
    Panel("outline", "&Outline", "Ctrl+Alt+U"),
    Panel("preview", "&Preview", "Alt+0"),
)
"""In the order of their tabs."""
