from shaderlab.app.editor import limits


def test_what_an_editor_cannot_show_is_refused_with_its_line():
    long = "x" * (limits.LONGEST_LINE + 1)
    assert "line 3 has 20,001 characters" in limits.unshowable(f"a\nb\n{long}\n")
    assert limits.unshowable("\n".join([long[1:]] * 5)) == ""
    assert "4,000,001 characters" in limits.unshowable("\n" * (limits.MOST_BYTES + 1))
