from pathlib import Path

from shaderlab.app.settings import RECENT_FILES, Settings, SettingsStore
from shaderlab.app.theme import ThemeChoice


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
        wrap_lines=True,
        show_counts=False,
        recent=["/a/b, c.frag", "/d e.frag"],
        last_file="example:plasma",
        geometry=b"\x00\xff\n=,",
        main_split=b"1",
        side_split=b"2",
        side_tab=2,
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


def test_recent_files_are_newest_first_without_repeats():
    settings = Settings()
    for i in range(RECENT_FILES + 3):
        settings.add_recent(Path(f"/{i}.frag"))
    settings.add_recent(Path("/5.frag"))
    assert settings.recent[:2] == ["/5.frag", f"/{RECENT_FILES + 2}.frag"]
    assert len(settings.recent) == RECENT_FILES == len(set(settings.recent))
