from shaderlab.app.qt import Qt, QWidget
from shaderlab.app.widgets.command_palette import CommandPalette, Entry, matches, score

ENTRIES = [
    Entry("a", "File: Save as"),
    Entry("b", "File: Save"),
    Entry("c", "Run: Start paused"),
    Entry("d", "Edit: Toggle comment"),
]


def keys(pattern):
    return [entry.key for entry in matches(pattern, ENTRIES)]


def test_no_pattern_lists_everything_in_order():
    assert keys("") == keys("  ") == ["a", "b", "c", "d"]


def test_letters_must_come_in_order():
    assert score("evas", "save") is None
    assert keys("xyz") == []


def test_the_shorter_of_equal_matches_comes_first():
    assert keys("save")[:2] == ["b", "a"]


def test_first_letters_of_words_find_a_command():
    assert keys("tc")[0] == "d"
    assert keys("sp")[0] == "c"


def test_case_and_spaces_do_not_matter():
    assert keys("RUN st pa") == ["c"]


def test_keys_choose_while_the_line_keeps_the_focus(qtbot):
    chosen, keys = [], Qt.Key
    window = QWidget()
    qtbot.addWidget(window)
    for pressed in (
        [keys.Key_Down],
        [keys.Key_Up],
        [keys.Key_PageDown, keys.Key_Down],
        [keys.Key_PageDown, keys.Key_PageUp],
    ):
        palette = CommandPalette([Entry(f"{n}", f"Entry {n}", "") for n in range(20)], "", window)
        palette.chosen.connect(chosen.append)
        palette.show()
        for key in (*pressed, keys.Key_Return):
            qtbot.keyClick(palette.line, key)
    assert chosen == ["1", "19", "9", "0"]
