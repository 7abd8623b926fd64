"""Real software drivers, each opened once for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from shaderlab import locations
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery, drivers
from shaderlab.gpu.compilers import installed
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.scene.draw import Draw

SOFTWARE = ("llvmpipe", "swiftshader")


def _built() -> Path | None:
    """Folder of the compilers of whoever runs the tests; every test has a home of its own."""
    for folder in locations.compilers():
        if (folder / installed.MANIFEST).exists():
            return folder.resolve()
    return None


BUILT = _built()


@pytest.fixture(scope="module")
def compilers_at_home() -> bool:
    """Whether the vendors' compilers are built; then the tests' own home has them."""
    own = locations.user_data() / "compilers"
    if BUILT is not None and not own.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(BUILT)
    return BUILT is not None


@pytest.fixture(scope="session")
def manifests() -> tuple[Path, ...]:
    """What the machine has, found before a test selects one of them."""
    return drivers.manifests()


@pytest.fixture(scope="session")
def found(manifests: tuple[Path, ...]) -> discovery.Discovery:
    return discovery.discover(manifests)


@pytest.fixture(scope="session")
def radv(found: discovery.Discovery, manifests: tuple[Path, ...]) -> str:
    """Path of RADV's manifest."""
    for manifest in manifests:
        if "radeon" in manifest.name:
            return str(manifest)
    pytest.skip("RADV is not installed")


@pytest.fixture(scope="session")
def open_device(found: discovery.Discovery) -> Iterator[Callable[[str], Device]]:
    """Opens a device by slug once; the loader reads the choice of driver per instance."""
    devices: dict[str, Device] = {}

    def opened(slug: str) -> Device:
        if slug not in devices:
            info = next((info for info in found.devices if info.slug == slug), None)
            if info is None:
                pytest.skip(f"{slug} is not installed")
            environment = dict(os.environ)
            drivers.select(info.manifest)
            try:
                devices[slug] = Device.open(info)
            finally:  # other tests look for devices too
                os.environ.clear()
                os.environ.update(environment)
        return devices[slug]

    yield opened
    for device in devices.values():
        device.close()


@pytest.fixture(params=SOFTWARE)
def device(request: pytest.FixtureRequest, open_device: Callable[[str], Device]) -> Device:
    """Each software device in turn."""
    return open_device(request.param)


@pytest.fixture
def llvmpipe(open_device: Callable[[str], Device]) -> Device:
    return open_device("llvmpipe")


@pytest.fixture(scope="session")
def compiled() -> Callable[[str], Program]:
    """Compiles a `mainImage` body or complete GLSL, once per text."""
    programs: dict[str, Program] = {}

    def compile_once(text: str) -> Program:
        if text not in programs:
            programs[text] = compile_text(text, "test", None)
        return programs[text]

    return compile_once


@pytest.fixture(scope="session")
def picture() -> Callable[..., np.ndarray]:
    """Renders one frame."""

    def render(device: Device, draw: Draw) -> np.ndarray:
        width, height = draw.size
        out = np.empty((height, width, 4), np.uint8)
        with Renderer(device, draw) as renderer:
            renderer.render(draw.inputs, out)
        return out

    return render


@pytest.fixture(scope="session")
def resources_gpu() -> Path:
    from shaderlab.locations import resources

    return resources() / "gpu"
