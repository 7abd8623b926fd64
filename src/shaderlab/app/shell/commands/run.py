"""Commands about running, timing, compiling and comparing the shader."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.panels.compiled.presenter import CompiledPresenter
from shaderlab.app.panels.profile.calibrate_presenter import CalibratePresenter
from shaderlab.app.panels.profile.presenter import ProfilePresenter
from shaderlab.app.panels.samples.presenter import SamplesPresenter
from shaderlab.app.panels.variants.presenter import VariantsPresenter
from shaderlab.app.qt import Qt, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.shell.capture_dialog import CaptureDialog
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.device_choice import DeviceChoice
from shaderlab.app.shell.reading_menu import ReadingMenu
from shaderlab.captures.running import Launch


class RunCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        settings: Settings,
        documents: Documents,
        profile: ProfilePresenter,
        calibrate: CalibratePresenter,
        compiled: CompiledPresenter,
        samples: SamplesPresenter,
        variants: VariantsPresenter,
        reading: ReadingMenu,
        devices: DeviceChoice,
    ):
        self._window, self._session, self._settings = window, session, settings
        self._documents = documents
        self._launched: Launch | None = None
        session.program_capture.captured.connect(documents.open)
        device = session.on_device
        self.calls: Calls = {
            "run.play": device.toggle_play,
            "run.restart": device.pictures.restart,
            "run.step": lambda: device.pictures.step(1),
            "run.step_back": lambda: device.pictures.step(-1),
            "run.profile": profile.measure,
            "run.profile_sizes": profile.measure_sizes,
            # A draw under way cannot be recalled, so the device's worker is replaced.
            "run.stop_profile": self._replace_device,
            "run.record": samples.record,
            "run.calibrate": calibrate.open,
            "run.pin": variants.pin,
            "run.unpin": variants.unpin,
            "run.compare": variants.compare_baseline,
            "run.copy_command": compiled.copy_command,
            "run.vertex": documents.open_vertex_dialog,
            "run.capture": self._capture,
            "run.macros": reading.edit_macros,
            "run.compile": self._compile,
            "run.compile_on_save": self._compile_on_save,
            "run.start_paused": self._start_paused,
            "run.analysers": compiled.show_analysers,
            "run.find_devices": devices.look,
        }

    def _replace_device(self) -> None:
        if self._session.device is not None:
            self._session.use_device(self._session.device)

    def _capture(self) -> None:
        dialog = CaptureDialog(self._session.program_capture, self._launched, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def remember() -> None:
            self._launched = dialog.launched

        dialog.finished.connect(remember)
        dialog.open()

    def _compile(self) -> None:
        self._documents.compile()
        self._session.compile_again()

    def _compile_on_save(self, only: bool) -> None:
        self._settings.compile_on_save = only
        if not only:
            self._documents.compile()

    def _start_paused(self, paused: bool) -> None:
        self._settings.start_paused = paused
