"""What holds for every test: nothing of the user's is used; how properties are tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from shaderlab.system import heap

# By hand every run tries new examples, and first those that failed before (kept in .hypothesis).
# CI (`--hypothesis-profile=ci`) tries the same ones every time, so a change is to blame for what
# fails, and prints the line that reproduces it.  No example fails for being slow on a busy machine.
settings.register_profile(
    "by-hand", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("by-hand"), derandomize=True, database=None)
settings.load_profile("by-hand")


_cycles = heap.CycleSearch()


def pytest_runtest_logfinish() -> None:
    """Only here, as in the window: widgets found in another thread would be destroyed there."""
    _cycles.look()


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Settings, data and caches in a folder of this run, and one locale, for children too."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(home / name))
        # Qt warns of any locale that is not in UTF-8, and a warning fails a test.
        patch.setenv("LC_ALL", "C.UTF-8")
        yield home


@pytest.fixture(scope="session")
def radv_listing() -> None:
    """Requested through `needs_radv_listing`.  Probed once a run, with the run's own cache."""
    from tests.radv import why_no_listing

    if reason := why_no_listing():
        pytest.skip(reason)


FONTS = Path(__file__).parent / "fonts"

_FONTCONFIG = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <test name="family" qual="any"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
  </match>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
  </match>
  <match target="font">
    <edit name="antialias"><bool>true</bool></edit>
    <edit name="hintstyle"><const>hintslight</const></edit>
    <edit name="rgba"><const>none</const></edit>
  </match>
</fontconfig>
"""


@pytest.fixture(scope="session", autouse=True)
def _own_fonts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Texts are as wide and as bold on every machine, whatever fonts it has."""
    folder = tmp_path_factory.mktemp("fontconfig")
    (folder / "fonts.conf").write_text(_FONTCONFIG.format(fonts=FONTS, cache=folder / "cache"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FONTCONFIG_FILE", str(folder / "fonts.conf"))
        yield
