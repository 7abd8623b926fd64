"""What the shader is drawn on, chosen from a menu, and the camera, moved over the picture."""

from __future__ import annotations

from pathlib import Path

from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.qt import QActionGroup, QObject, QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.storage.stamps import stamp_of
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.errors import ShaderlabError
from shaderlab.scene import camera as cameras
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body, MeshFile

NAMES = {
    Body.FULL_SCREEN: "Full screen",
    Body.QUAD: "Quad",
    Body.CUBE: "Cube",
    Body.SPHERE: "Sphere",
    Body.TORUS: "Torus",
    Body.POT: "Pot",
}
_MESHES = "glTF 2.0 (*.glb *.gltf);;All files (*)"


class GeometryChoice(QObject):
    """Connects the session's geometry to a menu and to the preview."""

    def __init__(
        self, session: Session, panel: Preview, notices: NotificationCentre, window: QWidget
    ):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._notices, self._window = notices, window
        self.menu = QtWidgets.QMenu("&Geometry", window)
        self.menu.aboutToShow.connect(self._fill)
        self._fill()  # so that menu bars know that it has entries
        panel.offer_geometry(self.menu)
        picture = panel.picture
        picture.turned.connect(self._turn)
        picture.zoomed.connect(self._zoom)
        session.inputs_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        geometry = self._session.drawing.geometry
        self._panel.picture.has_camera = not geometry.is_full_screen
        shape = geometry.shape
        name = "Captured vertices"
        if isinstance(shape, MeshFile):
            name = shape.path.name
        elif isinstance(shape, Body):
            name = NAMES[shape]
        self._panel.show_geometry(name)

    def _fill(self) -> None:
        menu, shape = self.menu, self._session.drawing.geometry.shape
        menu.clear()
        group = QActionGroup(menu)
        for body, name in NAMES.items():
            entry = group.addAction(name)
            entry.setCheckable(True)
            entry.setChecked(shape is body)
            entry.triggered.connect(
                lambda _=False, body=body: self._session.drawing.set_shape(body)
            )
            menu.addAction(entry)
        menu.addSeparator()
        if isinstance(shape, MeshFile):
            entry = group.addAction(shape.path.name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(True)
            menu.addAction(entry)
        menu.addAction("glTF file…").triggered.connect(self._choose_file)
        menu.addSeparator()
        reset = menu.addAction("Reset the camera")
        reset.setEnabled(self._session.drawing.geometry.camera != DEFAULT_CAMERA)
        reset.triggered.connect(lambda: self._session.drawing.set_camera(DEFAULT_CAMERA))

    def _choose_file(self) -> None:
        shape = self._session.drawing.geometry.shape
        start = str(shape.path) if isinstance(shape, MeshFile) else ""
        chosen, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._window, "Draw on a mesh", start, _MESHES
        )
        if chosen:
            self.use_file(Path(chosen))

    def use_file(self, path: Path) -> None:
        """Draw on the mesh in the file as it is now; what is wrong in it is the device's to say."""
        try:
            stamp = stamp_of(path)
        except ShaderlabError as error:
            self._notices.say("error", str(error))
        else:
            self._session.drawing.set_shape(MeshFile(path.absolute(), stamp))

    def _turn(self, right: float, down: float, height: int) -> None:
        drawing = self._session.drawing
        drawing.set_camera(cameras.dragged(drawing.geometry.camera, right, down, height))

    def _zoom(self, steps: float) -> None:
        drawing = self._session.drawing
        drawing.set_camera(cameras.zoomed(drawing.geometry.camera, steps))
