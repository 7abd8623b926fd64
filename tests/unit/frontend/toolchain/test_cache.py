"""The cache of compiler runs."""

from shaderlab.frontend.toolchain.cache import ResultCache
from shaderlab.frontend.toolchain.interface import Compilation

RESULT = Compilation(b"\x03\x02\x23\x07", "ERROR: é", "it ended")


def test_a_result_outlives_the_process(tmp_path):
    ResultCache(tmp_path / "new").put("k", RESULT)
    assert ResultCache(tmp_path / "new").get("k") == RESULT
    assert ResultCache(tmp_path / "new").get("other") is None


def test_damaged_files_are_ignored_and_removed(tmp_path):
    ResultCache(tmp_path).put("k", RESULT)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    for bad in (b"", b"garbage", good[:-1], good[:40] + b"X" + good[41:], good + b"more"):
        file.write_bytes(bad)
        assert ResultCache(tmp_path).get("k") is None
        assert not file.exists()


def test_memory_and_disk_are_bounded_and_the_oldest_go_first(tmp_path):
    cache = ResultCache(tmp_path, disk_bytes=20_000, memory_bytes=5_000)
    for n in range(65):  # the disk is looked at on every 64th write
        cache.put(f"k{n}", Compilation(bytes(1000), ""))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 20_000
    assert cache.get("k64") is not None
    assert cache.get("k0") is None


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ResultCache(blocked / "cache")
    cache.put("k", RESULT)
    assert cache.get("k") == RESULT
    assert ResultCache(blocked / "cache").get("k") is None
