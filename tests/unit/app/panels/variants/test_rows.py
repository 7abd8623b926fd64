import time

from shaderlab.app.panels.variants.rows import (
    CHANGE,
    VariantsModel,
    clock,
    common_key,
    curves,
    line_seconds,
    usual_key,
    variant_rows,
)
from shaderlab.app.qt import Qt
from shaderlab.app.session.versions import Version
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares

WRITTEN, COMPILED = ("gpu", "additive", Form.WRITTEN), ("gpu", "fine", Form.COMPILED)


def version(number: int, name: str = "", **times: float) -> Version:
    keys = {"written": WRITTEN, "compiled": COMPILED}
    lines = {"gpu": LineShares([("", 2, 0.25)])}
    return Version(
        number, f"text {number}", float(number), {keys[k]: v for k, v in times.items()}, lines, name
    )


def test_the_curve_is_of_the_method_that_most_versions_have():
    quick = [version(1, written=4.0), version(2, written=3.0), version(3, written=2.0, compiled=1)]
    assert usual_key(quick, "gpu") == WRITTEN
    assert [point.time_s for point in curves(quick)["gpu"]] == [4.0, 3.0, 2.0]
    rested = [version(1, written=4.0, compiled=2.0), version(2, written=3.0, compiled=1.0)]
    assert usual_key(rested, "gpu") == COMPILED
    assert usual_key(rested, "other") is None


def test_a_variant_is_compared_by_the_finest_method_that_both_have():
    found = [
        version(1, "first", written=4.0, compiled=2.0),
        version(2, "second", written=3.0),
        version(3, written=2.0, compiled=1.0),
    ]
    second, first = variant_rows(found, "gpu", baseline=1)
    assert (first.name, first.time_s, first.change.relative) == ("first", 2.0, "\u221250 %")
    assert (second.time_s, second.change.relative) == (3.0, "\u221233 %")
    assert (first.is_baseline, second.is_baseline) == (True, False)


def test_only_a_change_that_is_certain_is_coloured():
    model = VariantsModel(lambda number, name: None)
    model.colours = "slower", "faster"
    found = [version(1, "first", written=4.0), version(2, written=2.0)]
    wide, narrow = (ChangeBand("gpu", "additive", 99, base, 0.0, 0.8) for base in (1.0, 0.1))
    shown = []
    for bands in ({}, {"additive": wide}, {"additive": narrow}):
        model.set_rows(variant_rows(found, "gpu", 0, bands=bands))
        at = model.index(0, CHANGE)
        shown.append((
            model.data(at, Qt.ItemDataRole.ForegroundRole),
            model.data(at, Qt.ItemDataRole.ToolTipRole),
        ))  # fmt: skip
    said = "\u22122.00 s on the chosen target; "
    assert shown == [
        (None, said + "change not validated"),
        (None, said + "likely \u221282 % to +36 %"),
        ("faster", said + "likely \u221255 % to \u221245 %"),
    ]


def test_a_variant_with_nothing_comparable_shows_its_own_time_alone():
    (row,) = variant_rows([version(1, "first", compiled=2.0), version(2, written=1.0)], "gpu", 0)
    assert (row.time_s, row.change) == (2.0, None)
    (row,) = variant_rows([version(1, "first"), version(2, written=1.0)], "gpu", 0)
    assert (row.time_s, row.change) == (None, None)


def test_nothing_is_compared_with_a_version_that_is_not_the_present_text():
    found = [version(1, "first", written=4.0), version(2, written=2.0)]
    (row,) = variant_rows(found, "gpu", 0, current=False)
    assert (row.time_s, row.change) == (4.0, None)


def test_seconds_of_lines_are_shares_of_the_compared_time():
    one, other = version(1, written=4.0, compiled=2.0), version(2, written=8.0)
    key = common_key(one, other, "gpu")
    assert key == WRITTEN
    assert line_seconds(one, "gpu", key) == {2: 1.0}
    assert line_seconds(other, "gpu", key) == {2: 2.0}
    assert line_seconds(one, "gpu", None) == {}


def test_a_frame_is_as_fine_as_the_coarsest_form_of_its_passes():
    coarse = ("gpu", "frame", "Buffer A additive written; Image fine compiled")
    fine = ("gpu", "frame", "Buffer A additive-optimized optimized; Image fine compiled")
    first = Version(1, "a", 1.0, {coarse: 4.0, fine: 2.0})
    second = Version(2, "b", 2.0, {coarse: 3.0, fine: 1.0})
    assert usual_key([first, second], "gpu") == fine
    assert common_key(first, second, "gpu") == fine
    assert [point.time_s for point in curves([first, second])["gpu"]] == [2.0, 1.0]


def test_a_form_that_nobody_knows_comes_last():
    odd = ("gpu", "additive", "folded")
    assert usual_key([Version(1, "a", 1.0, {odd: 4.0, WRITTEN: 2.0})], "gpu") == WRITTEN
    assert usual_key([Version(1, "a", 1.0, {odd: 4.0})], "gpu") == odd


def test_a_time_of_another_day_has_its_date(monkeypatch):
    now = time.gmtime(1e9)
    monkeypatch.setattr(time, "localtime", lambda at=None: now if at is None else time.gmtime(at))
    assert clock(1e9 - 60) == "01:45:40"
    assert clock(1e9 - 86400) == "2001-09-08 01:46"
