"""The program's inputs in their pane, and what the user gives them in the session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shaderlab.app.panels.inputs.panel import InputsPanel
from shaderlab.app.panels.inputs.rows import rows_of
from shaderlab.app.panels.inputs.thumbnails import Thumbnails
from shaderlab.app.qt import QObject, QtWidgets
from shaderlab.app.session import reasons
from shaderlab.app.session.session import Session
from shaderlab.app.storage.stamps import stamp_of
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError
from shaderlab.frontend import scanner
from shaderlab.frontend.program import Dialect, Given, Program, Value
from shaderlab.scene.hints import HintedEditor, InputHint, hints, switches
from shaderlab.scene.launch import LaunchChoice, declared, is_compute
from shaderlab.scene.launch_meanings import is_filled
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.scene.textures import ImageFile, Texture

_SHADERTOY = (Dialect.SHADERTOY_ES310, Dialect.SHADERTOY_450)
_IMAGES = (
    "Images (*.png *.jpg *.jpeg *.bmp *.tga *.gif *.webp *.tif *.tiff *.hdr *.ktx2 *.dds);;"
    "All files (*)"
)


class InputsPresenter(QObject):
    """Looks at the inputs while the pane is on screen, and only then."""

    def __init__(
        self,
        session: Session,
        panel: InputsPanel,
        notices: NotificationCentre,
        refresh: Throttle,
    ):
        super().__init__(panel)
        self._session, self._panel, self._notices = session, panel, notices
        self._outdated = True
        self._hinted: tuple[Program | None, Mapping[str, InputHint]] = (None, {})
        self._folder = ""
        """Where an image was chosen last."""
        self._thumbnails = Thumbnails(self)
        self._thumbnails.made.connect(panel.show_thumbnail)
        for changed in (
            session.program_changed, session.inputs_changed, session.diagnostics_changed,
        ):  # fmt: skip
            changed.connect(self._soon)
        self._refresh_soon = refresh.soon
        refresh.passed.connect(lambda: self.refresh())
        panel.shown.connect(lambda: self.refresh())
        panel.edited.connect(self._on_edited)
        panel.reset.connect(session.drawing.reset_input)
        panel.launch.chosen.connect(session.drawing.set_launch)
        panel.file_wanted.connect(self._choose_file)
        panel.file_dropped.connect(self._use_file)
        panel.thumbnail_wanted.connect(self._thumbnails.want)

    def _soon(self) -> None:
        self._outdated = True
        self._refresh_soon()

    def refresh(self) -> None:
        """Show the inputs as they are now, where that is another state and anyone looks."""
        if not self._outdated or not self._panel.isVisible():
            return
        self._outdated = False
        session, panel = self._session, self._panel
        if session.program is None:
            never = reasons.never_compiled(session)
            title, hint = ("No inputs yet", reasons.FIX_FIRST if never else "")
            panel.empty.say("inputs", title, hint, role="error" if never else "dim")
            panel.show_empty()
            return
        deciding = {each.name: each for each in session.decisions.deciding}
        listed = session.drawing.listed()
        # Random arrays have no numbers to show; the launch strip says that buffers hold them.
        inputs = [
            each
            for each in listed
            if is_used(each, session.program) and not is_filled(each.meaning)
        ]
        known = self._hints(session.program)
        giver = "vertex stage" if session.vertex.is_own else "geometry"
        own, provided = rows_of(inputs, known, deciding, f"from the {giver}")
        is_launched = self._show_launch(session.program)
        if own or provided or is_launched:
            panel.show_rows(own, provided)
        else:
            hint = "Uniforms, textures and push constants that a shader declares appear here."
            panel.empty.say("inputs", "This shader has no inputs", hint)
            panel.show_empty()

    def _show_launch(self, program: Program) -> bool:
        """Show how a compute shader is launched; whether it is one."""
        drawing, strip = self._session.drawing, self._panel.launch
        launched = is_compute(program)
        if launched:
            try:
                launch = drawing.counted(program).launch
            except ShaderlabError as error:  # a local size that a newer text does not leave open
                self._notices.say("error", str(error))
                if drawing.launch == LaunchChoice():  # it is the text's own that cannot be
                    strip.hide()
                    return False
                drawing.set_launch(LaunchChoice())
                return self._show_launch(program)
            strip.show_launch(launch, drawing.launch, declared(program))
        strip.setVisible(launched)
        return launched

    def _hints(self, program: Program) -> Mapping[str, InputHint]:
        """What the text says about editing: its dialect's declarations, then our pragmas."""
        if program is not self._hinted[0]:
            declared = {name: _hint(given) for name, given in program.given.items()}
            found = switches(scanner.blank(program.text))
            toggles = {name: InputHint(HintedEditor.TOGGLE) for name in found}
            self._hinted = program, {**toggles, **declared, **hints(program.text)[0]}
        return self._hinted[1]

    def _on_edited(self, name: str, value: object) -> None:
        drawing = self._session.drawing
        if isinstance(value, Texture):
            drawing.set_texture(name, value)
        elif isinstance(value, tuple):
            drawing.set_value(name, value)

    # -- image files ------------------------------------------------------------------------

    def _choose_file(self, name: str, texture: Texture) -> None:
        source = texture.source
        start = str(source.path) if isinstance(source, ImageFile) else self._folder
        chosen, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._panel.window(), f"An image for {name}", start, _IMAGES
        )
        if chosen:
            self._use_file(name, texture, Path(chosen))

    def _use_file(self, name: str, texture: Texture, path: Path) -> None:
        """Have the texture show the file as it is now; what it holds is the device's to read."""
        self._folder = str(path.parent)
        try:
            stamp = stamp_of(path)
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return
        source = ImageFile(path.absolute(), stamp)
        if isinstance(texture.source, ImageFile):
            source = replace(source, flipped=texture.source.flipped, srgb=texture.source.srgb)
        self._session.drawing.set_texture(name, replace(texture, source=source))


def is_used(each: ShaderInput, program: Program) -> bool:
    """False for what Shadertoy declares for every shader and this one's own text never names."""
    means = each.meaning
    if program.dialect not in _SHADERTOY or program.includes or not program.text:
        return True
    if means is None or not means.is_certain:
        return True
    return re.search(rf"\b{re.escape(each.name)}\b", program.text) is not None


def _hint(given: Given) -> InputHint:
    """What a dialect says about one input."""
    return InputHint(
        lowest=_number(given.minimum),
        highest=_number(given.maximum),
        step=_number(given.step),
        choices=tuple((name, float(value)) for name, value in given.choices),
        label=given.label,
    )


def _number(value: Value | None) -> float | None:
    """Of a vector its first component: one range serves all."""
    if isinstance(value, tuple):
        return value[0] if value else None
    return None if value is None else float(value)
