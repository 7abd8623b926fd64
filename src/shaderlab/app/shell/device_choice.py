"""Which device the window uses: found, chosen by the user or as the best one, and remembered."""

from __future__ import annotations

from shaderlab.app.qt import QActionGroup, QObject, QtWidgets, QWidget, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import Discovery
from shaderlab.workers.discovery import discover


class DeviceChoice(QObject):
    """Looks for devices; has a button, a menu and a badge that show the one in use."""

    looked = Signal(object)
    """Why there is no device to use, as a ShaderlabError; None while that is not known to be so."""

    def __init__(
        self, session: Session, settings: Settings, notices: NotificationCentre, parent: QWidget
    ):
        super().__init__(parent)
        self._session, self._settings, self._notices = session, settings, notices
        self.devices: tuple[DeviceInfo, ...] = ()
        self.error: ShaderlabError | None = None
        """What `looked` said last."""
        self.menu = QtWidgets.QMenu("&Device", parent)
        self.button = QtWidgets.QToolButton()
        self.button.setText("Looking for devices…")
        self.button.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self.menu)
        self.badge = QtWidgets.QLabel("software driver (CPU)")
        self.badge.setProperty("role", "badge")
        self.badge.setToolTip(
            "No GPU driver is in use: the CPU draws, counts and profiles. Counts and predictions "
            "are as on a GPU; times measured on this device are not."
        )
        self.badge.hide()
        session.device_changed.connect(self._show)

    def look(self) -> None:
        """Look for devices, then use the remembered one, or the best."""
        self._session.untraced.set_no_device("")
        self.button.setText("Looking for devices…")
        self._say(None)
        self._session.bridge.watch(discover(), self._found, self._failed)

    def _say(self, error: ShaderlabError | None) -> None:
        self.error = error
        self.looked.emit(error)

    def _found(self, found: Discovery) -> None:
        self.devices = tuple(d for d in found.devices if not d.null_hardware)
        for problem in found.problems:
            self._notices.say("warning", problem)
        try:
            best = found.choose(None)
        except ShaderlabError as error:
            self._failed(error)
            return
        remembered = self._settings.device
        self._use(next((d for d in self.devices if d.slug == remembered), best))

    def _failed(self, error: ShaderlabError) -> None:
        self._session.untraced.set_no_device(str(error))
        self.button.setText("No Vulkan device")
        self.badge.hide()
        self._notices.say("error", str(error))
        self._say(error)

    def _choose(self, info: DeviceInfo) -> None:
        self._settings.device = info.slug
        self._use(info)

    def _use(self, info: DeviceInfo) -> None:
        if info != self._session.device:
            self._session.use_device(info)
        else:
            self._show()

    def _show(self) -> None:
        info = self._session.device
        if info is None:
            return
        self.button.setText(info.name)
        self.button.setToolTip(f"{info.driver}, Vulkan {info.api_version}")
        self.badge.setVisible(info.kind == "software")
        self.menu.clear()
        group = QActionGroup(self.menu)
        for each in self.devices:
            name = f"{each.name} (software driver)" if each.kind == "software" else each.name
            entry = group.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(each == info)
            entry.triggered.connect(lambda _=False, each=each: self._choose(each))
            self.menu.addAction(entry)
