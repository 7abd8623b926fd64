"""Which device the window works on: looked for, chosen by hand or by what is best, remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QActionGroup, QObject
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import Discovery, choose
from shaderlab.workers.discovery import discover

if TYPE_CHECKING:
    from shaderlab.app.shell.main_window import MainWindow


class DeviceChoice(QObject):
    """Fills the device menu and the device's place in the status bar."""

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self._session = window.session
        self.devices: tuple[DeviceInfo, ...] = ()
        self.error: ShaderlabError | None = None
        """Why there is no device."""
        self._session.device_changed.connect(self._show)

    def look(self) -> None:
        """Look for devices, then use the remembered one, or the best."""
        self.error = None
        self._session.untraced.set_no_device("")
        self._window.device_label.setText("Looking for devices…")
        self._session.bridge.watch(discover(), self._found, self._failed)

    def _found(self, found: Discovery) -> None:
        self.devices = tuple(d for d in found.devices if not d.null_hardware)
        for problem in found.problems:
            self._window.notices.say("warning", problem)
        try:
            info = choose(found.devices, None)
        except ShaderlabError as error:
            self._failed(error)
            return
        remembered = self._window.settings.device
        info = next((d for d in self.devices if d.slug == remembered), info)
        if info != self._session.device:
            self._session.use_device(info)
        else:
            self._show()

    def _failed(self, error: ShaderlabError) -> None:
        self.error = error
        self._session.untraced.set_no_device(str(error))
        self._window.device_label.setText("No Vulkan device")
        self._window.badge.hide()
        self._window.notices.say("error", str(error))
        self._window.results.refresh()

    def _choose(self, info: DeviceInfo) -> None:
        self._window.settings.device = info.slug
        if info != self._session.device:
            self._session.use_device(info)

    def _show(self) -> None:
        info, window = self._session.device, self._window
        window.device_label.setText(info.name)
        window.device_label.setToolTip(f"{info.driver}, Vulkan {info.api_version}")
        window.badge.setVisible(info.kind == "software")
        window.fit_preview()
        window.profile_panel.show_device(info)
        self._fill_menu(info)
        window.results.refresh()

    def _fill_menu(self, chosen: DeviceInfo) -> None:
        menu = self._window.device_menu
        menu.clear()
        group = QActionGroup(menu)
        for info in self.devices:
            name = f"{info.name} (software driver)" if info.kind == "software" else info.name
            entry = group.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(info == chosen)
            entry.triggered.connect(lambda _=False, info=info: self._choose(info))
            menu.addAction(entry)
