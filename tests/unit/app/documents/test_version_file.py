import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.documents import version_file
from shaderlab.app.documents.version_file import MARK, decode, encode
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.versions import Version
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares

KEY = ("rtx3060", "additive", Form.WRITTEN)
RUN = CountedRun((640, 480), 2.5)
LINES = {"rtx3060": LineShares([("", 3, 0.5), ("", 7, 0.25)])}
KEPT = (
    Version(1, "void main() {}\n", 10.0, {KEY: 2e-3}, LINES, run=RUN),
    Version(2, "void main() { /* é */ }\n", 20.0, {}, {}, "named"),
)


def plain(versions):
    return [(v.text, v.at, v.name, dict(v.times_s), v.run, dict(v.lines)) for v in versions]


def test_what_is_written_is_read():
    assert plain(decode(encode(KEPT))) == plain(KEPT)


def test_of_a_history_that_is_too_large_names_and_the_newest_are_kept(monkeypatch):
    # No two texts deflate to little.
    many = [
        Version(n, "".join(chr(33 + (n * 7919 + k * k * 31) % 90) for k in range(3000)), float(n))
        for n in range(8)
    ]
    many[1] = Version(1, many[1].text, 1.0, name="named")
    whole = len(encode(many))
    monkeypatch.setattr(version_file, "MOST_BYTES", whole // 2)
    found = decode(encode(many))
    assert found[0].name == "named"
    assert [each.at for each in found][1:] == [float(n) for n in range(8 - len(found) + 1, 8)]
    assert 2 <= len(found) < 8


def test_damaged_parts_are_left_out_and_the_rest_is_read():
    first, second = (encode([each])[len(MARK) :] for each in KEPT)
    bad = zlib.compress(b'{"text": 1}')
    data = MARK + first + len(bad).to_bytes(4, "little") + bad + second
    assert plain(decode(data)) == plain(KEPT)


def part(json: bytes) -> bytes:
    packed = zlib.compress(json)
    return MARK + len(packed).to_bytes(4, "little") + packed


def test_times_without_their_frame_are_left_out():
    json = b'{"text": "a", "at": 1, "name": "", "times": [["t", "m", "written", 1]], "lines": {}}'
    assert plain(decode(part(json))) == [("a", 1.0, "", {}, None, {})]


def test_what_cannot_be_shown_or_is_no_number_is_refused():
    for data in (
        b'{"text": "a\\u0000b", "at": 1, "name": "", "times": [], "lines": {}}',
        b'{"text": "a", "at": NaN, "name": "", "times": [], "lines": {}}',
        b'{"text": "a", "at": 1, "name": "", "times": [["t", "m", "written", -1]], "lines": {}, '
        b'"run": [640, 480, 1]}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {"t": [[1], [2.0]]}}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {"t": [[1, 2], [0.1]]}}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {}, "run": [0, 480, 1]}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {}, "run": [640, 480, NaN]}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {}, "run": [640, 480]}',
        b'{"text": "a", "at": 1, "name": "", "times": [], "lines": {"t": [[Infinity], [0.1]]}}',
        b'{"text": "a", "at": 1' + b"0" * 400 + b', "name": "", "times": [], "lines": {}}',
        b"[" * 5000,
    ):
        assert decode(part(data)) == (), data


def test_a_part_that_inflates_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(version_file, "_MOST_PART", 100)
    assert decode(encode([Version(1, "x" * 1000, 1.0)])) == ()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_a_fault(data):
    decode(data)
    decode(MARK + data)
    decode(part(data))


@pytest.mark.parametrize(
    "changed",
    [
        {"lines": {"t": [[float("inf")], [0.5]]}},
        {"at": 10**400},
        {"at": 1e300},
        {"text": "half a pair: \ud800"},
    ],
)
def test_numbers_and_texts_that_nothing_can_show_are_left_out(changed):
    whole = {"text": "a", "at": 1, "name": "", "times": [], "lines": {}}
    assert len(decode(part(json.dumps(whole).encode()))) == 1
    assert decode(part(json.dumps(whole | changed).encode())) == ()


def test_times_of_frames_name_the_forms_of_all_passes():
    key = ("rtx3060", "frame", "Buffer A additive written; Image additive compiled")
    kept = (Version(1, "void main() {}\n", 10.0, {key: 2e-3}, LINES, run=RUN),)
    assert plain(decode(encode(kept))) == plain(kept)
