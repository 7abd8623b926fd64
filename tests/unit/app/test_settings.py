from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.settings import (
    DRAWS_RANGE,
    LEAST_MEMORY_MIB,
    LIMIT_RANGE_S,
    PIXELS_RANGE,
    RECENT_FILES,
    TRIALS_RANGE,
    ZOOM_RANGE,
    Settings,
    SettingsStore,
)
from shaderlab.app.shell.limits_page import LimitsPage
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.workers.supervisor.limits import Limits


def test_every_setting_survives_a_round_trip(tmp_path):
    settings = Settings(
        theme=ThemeChoice.DARK,
        device="swiftshader",
        preview_size="640x360",
        start_paused=True,
        compile_on_save=True,
        trials=7,
        draws=3,
        zoom=-2,
        font_family="Some Mono",
        font_points=13.5,
        tab_width=2,
        keys=["edit.fold=Ctrl+K, Ctrl+1; F3", "edit.undo="],
        wrap_lines=True,
        show_counts=False,
        recent=["/a/b, c.frag", "/d e.frag"],
        last_file="example:plasma",
        geometry=b"\x00\xff\n=,",
        docks_narrow=b"1",
        docks_wide=b"2",
        side_visible=False,
    )
    store = SettingsStore(tmp_path / "s.ini")
    store.save(settings)
    assert SettingsStore(tmp_path / "s.ini").load() == settings


def test_defaults_survive_a_round_trip(tmp_path):
    store = SettingsStore(tmp_path / "s.ini")
    assert store.load() == Settings()
    store.save(Settings())
    assert store.load() == Settings()


def test_values_that_do_not_fit_are_left_at_their_defaults(tmp_path):
    path = tmp_path / "s.ini"
    path.write_text("[General]\ntheme=purple\ntrials=many\nwrap_lines=perhaps\ndraws=12\nalien=1\n")
    loaded = SettingsStore(path).load()
    assert loaded == Settings(draws=12)


def test_a_damaged_file_yields_the_defaults(tmp_path):
    path = tmp_path / "s.ini"
    path.write_bytes(bytes(range(256)) * 4)
    assert SettingsStore(path).load() == Settings()


NASTY = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["nan", "-inf", "1e999", "true", "@ByteArray(x)", "@Invalid()", '"a", "b"', ""]
    ),
    st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=30),
)


@given(st.dictionaries(st.sampled_from([spec.name for spec in fields(Settings)]), NASTY))
def test_whatever_a_file_says_is_in_range_when_it_is_taken(tmp_path_factory, stored):
    path = tmp_path_factory.mktemp("settings") / "s.ini"
    lines = [f"{name}={value}" for name, value in stored.items()]
    path.write_text("\n".join(["[General]", *lines]), encoding="utf-8")
    loaded, default = SettingsStore(path).load(), Settings()
    for spec in fields(Settings):
        assert type(getattr(loaded, spec.name)) is type(getattr(default, spec.name)), spec.name
    assert TRIALS_RANGE[0] <= loaded.trials <= TRIALS_RANGE[1]
    assert DRAWS_RANGE[0] <= loaded.draws <= DRAWS_RANGE[1]
    assert ZOOM_RANGE[0] <= loaded.zoom <= ZOOM_RANGE[1]
    assert PIXELS_RANGE[0] <= loaded.most_pixels <= PIXELS_RANGE[1]
    for seconds in (loaded.limits.compile, loaded.limits.frame, loaded.limits.profile):
        assert LIMIT_RANGE_S[0] <= seconds <= LIMIT_RANGE_S[1]
    assert loaded.limits.memory_bytes >= LEAST_MEMORY_MIB << 20


@pytest.mark.parametrize(
    "content",
    [
        "x" * (1 << 20) + "\n[General]\ntrials=7\n",
        "[General]\ntrials=7\ndevice=@Variant(\\0\\0\\0\\x41)\n",
    ],
)
def test_a_file_that_asks_for_too_much_is_not_read(tmp_path, content):
    path = tmp_path / "s.ini"
    path.write_text(content)
    assert SettingsStore(path).load() == Settings()


@pytest.mark.parametrize(
    "setting", ["device=" + "x" * 5000, "recent=" + ", ".join("abc" for _ in range(200))]
)
def test_a_value_that_is_too_long_is_left_at_its_default(tmp_path, setting):
    path = tmp_path / "s.ini"
    path.write_text(f"[General]\n{setting}\ntrials=7\n")
    assert SettingsStore(path).load() == Settings(trials=7)


def test_recent_files_are_newest_first_without_repeats():
    settings = Settings()
    for i in range(RECENT_FILES + 3):
        settings.add_recent(Path(f"/{i}.frag"))
    settings.add_recent(Path("/5.frag"))
    assert settings.recent[:2] == ["/5.frag", f"/{RECENT_FILES + 2}.frag"]
    assert len(settings.recent) == RECENT_FILES == len(set(settings.recent))


def test_limits_are_brought_into_range():
    assert Settings().limits == Limits()
    assert Settings(memory_limit_mib=512).limits.memory_bytes == 512 << 20
    wild = Settings(
        frame_limit_s=float("nan"), trace_limit_s=-5.0, profile_limit_s=1e9, memory_limit_mib=1
    )
    assert wild.limits.frame == wild.limits.trace == LIMIT_RANGE_S[0]
    assert wild.limits.profile == LIMIT_RANGE_S[1]
    assert wild.limits.memory_bytes == LEAST_MEMORY_MIB << 20


def test_the_form_of_limits_changes_what_was_changed_and_nothing_else(qtbot):
    settings = Settings(frame_limit_s=3.0)
    page = LimitsPage(settings)
    qtbot.addWidget(page)
    page.write(settings)
    assert settings == Settings(frame_limit_s=3.0)
    page.show_values(Settings(trace_limit_s=7.0, memory_limit_mib=512, most_pixels=1_000_000))
    page.write(settings)
    assert settings == Settings(trace_limit_s=7.0, memory_limit_mib=512, most_pixels=1_000_000)


def test_a_store_that_cannot_be_written_says_so(tmp_path):
    blocked = tmp_path / "s.ini"
    blocked.mkdir()
    store = SettingsStore(blocked)
    assert not store.writable
    assert not store.save(Settings())
    assert store.load() == Settings()


def test_a_file_from_before_a_setting_was_renamed_is_still_read(tmp_path):
    path = tmp_path / "s.ini"
    path.write_text("[General]\namd_families=navi10, vega10\n")
    store = SettingsStore(path)
    settings = store.load()
    assert settings.compiled_families == ["navi10", "vega10"]
    settings.compiled_families = ["gfx1100"]
    store.save(settings)
    assert store.load().compiled_families == ["gfx1100"], "the new name outranks the old one"


def test_bytes_that_are_too_long_are_left_at_their_default(tmp_path):
    store = SettingsStore(tmp_path / "settings.ini")
    for name in (each.name for each in fields(Settings) if each.type in ("bytes", bytes)):
        store.save(replace(Settings(), **{name: bytes(64 << 10)}))
        assert store.load() != Settings()
        store.save(replace(Settings(), **{name: bytes((64 << 10) + 1)}))
        assert store.load() == Settings()


def test_two_windows_keep_what_the_other_changed(tmp_path):
    path = tmp_path / "s.ini"
    first, second = SettingsStore(path), SettingsStore(path)
    first.save(Settings())
    ours, others = first.load(), second.load()
    ours.theme, others.tab_width = ThemeChoice.LIGHT, 2
    ours.recent.append("a.frag")
    assert second.save(others)
    assert first.save(ours)
    both = SettingsStore(path).load()
    assert (both.theme, both.tab_width, both.recent) == (ThemeChoice.LIGHT, 2, ["a.frag"])
