"""How the document's text is read: recognised, or as chosen from a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shaderlab.app.qt import QActionGroup, QObject, Qt, QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.shell.reading_dialog import ReadingDialog
from shaderlab.app.widgets.boxes import input_dialog
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage

_AUTOMATIC = "Automatic"


def reading_text(
    program: Program | None, reading: Reading, *, compiles: bool, by_project: bool = False
) -> str:
    """`Shadertoy, Y up`: how the text is read, and which way its pictures are shown.

    What was chosen is marked; of a text that never compiled only that is known.
    """
    chosen = [part for part in (reading.stage and f"{reading.stage.shown} stage", reading.entry)
              if part]  # fmt: skip
    if program is None or (reading.language is not None and not compiles):
        known = [reading.language.shown] if reading.language else []
    else:
        dialect = program.dialect
        who = f" (set by {'project' if by_project else 'you'})" if reading.language else ""
        known = [f"{dialect.shown}{who}", f"Y {'up' if program.y_up else 'down'}"]
    return ", ".join([*known, *chosen]) or "Language…"


class ReadingMenu(QObject):
    """A button for the status bar and its menu, which other menus may have too."""

    def __init__(self, session: Session, window: QWidget):
        super().__init__(window)
        self._session, self._window = session, window
        self.menu = QtWidgets.QMenu("&Language and stage", window)
        self._entries = QtWidgets.QMenu("&Entry point", self.menu)
        self.menu.aboutToShow.connect(self._fill)
        self._fill()  # so that menu bars know that it has entries
        self.button = QtWidgets.QToolButton()
        self.button.setAccessibleName("How the text is read")
        self.button.setToolTip(
            "How the text is read: click to choose another language, stage or entry point, to "
            "define macros or to add include folders. Y up: gl_FragCoord.y is 0 at the bottom of "
            "the picture, as on Shadertoy and in OpenGL; Y down: at its top, as in Vulkan"
        )
        self.button.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self.menu)

    def refresh(self) -> None:
        """Show what is known now."""
        session = self._session
        text = reading_text(
            session.program,
            session.reading.value,
            compiles=session.compiling.compiles,
            by_project=session.reading.by_project,
        )
        if text != self.button.text():
            self.button.setText(text)

    def edit_macros(self) -> None:
        """Open the form with macros and include folders."""
        source = self._session.compiling.source
        folder = source.folder if source is not None else None
        dialog = ReadingDialog(self._session.reading, folder, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # -- the menu ---------------------------------------------------------------------------

    def _fill(self) -> None:
        menu, reading, program = self.menu, self._session.reading.value, self._session.program
        menu.clear()
        is_module = program is not None and program.dialect is Dialect.SPIRV
        if not is_module:
            menu.addSection("Language")
            self._offer(
                menu,
                [(_automatic(program, reading), None), *((each.shown, each) for each in Language)],
                reading.language,
                lambda language: self._choose(language=language),
            )
        stages = QtWidgets.QMenu("&Stage", menu)
        self._offer(
            stages,
            [(f"{_AUTOMATIC} (fragment)", None),
             *((each.shown.capitalize(), each) for each in Stage)],
            reading.stage,
            lambda stage: self._choose(stage=stage),
        )  # fmt: skip
        self._entries = QtWidgets.QMenu("&Entry point", menu)
        self._fill_entries(())
        menu.addSeparator()
        menu.addMenu(stages)
        menu.addMenu(self._entries)
        menu.addAction("&Macros and include folders…").triggered.connect(self.edit_macros)
        self._session.ask_entry_points(self._fill_entries)

    def _fill_entries(self, known: Sequence[str]) -> None:
        menu, reading = self._entries, self._session.reading.value
        program = self._session.program
        menu.clear()
        used = f" ({program.entry_point})" if program is not None and not reading.entry else ""
        names = [*known, *([reading.entry] if reading.entry and reading.entry not in known else [])]
        self._offer(
            menu,
            [(f"{_AUTOMATIC}{used}", ""), *((name, name) for name in names)],
            reading.entry,
            lambda entry: self._choose(entry=entry),
        )
        menu.addSeparator()
        menu.addAction("&Other…").triggered.connect(self._ask_entry)

    def _offer(
        self,
        menu: QtWidgets.QMenu,
        choices: Sequence[tuple[str, object]],
        current: object,
        choose: Callable[[object], object],
    ) -> None:
        group = QActionGroup(menu)
        for text, value in choices:
            entry = group.addAction(text.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(value == current)
            entry.triggered.connect(lambda _=False, value=value: choose(value))
            menu.addAction(entry)

    def _ask_entry(self) -> None:
        dialog = input_dialog(self._window, "Entry point", "Function the stage begins with:")
        dialog.setTextValue(self._session.reading.value.entry)
        dialog.textValueSelected.connect(lambda name: self._choose(entry=name.strip()))
        dialog.open()

    def _choose(self, **change: object) -> None:
        self._session.reading.choose(replace(self._session.reading.value, **change))


def _automatic(program: Program | None, reading: Reading) -> str:
    """With what was recognised, where that is known."""
    if program is None or reading.language is not None:
        return _AUTOMATIC
    return f"{_AUTOMATIC} ({program.dialect.shown})"
