from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.whole_lines import comment_toggled

INDENTED = st.builds(
    lambda indent, body: " " * indent + body,
    st.integers(0, 8),
    st.text(st.sampled_from("abc =;(){}"), max_size=12),
)


@given(st.lists(INDENTED, min_size=1, max_size=8))
def test_toggling_comments_twice_changes_nothing(lines):
    assert comment_toggled(comment_toggled(lines)) == lines


def test_comments_line_up_at_the_least_indent():
    lines = ["    if (a) {", "", "        b;", "    }"]
    assert comment_toggled(lines) == ["    // if (a) {", "", "    //     b;", "    // }"]
