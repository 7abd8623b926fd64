"""What the status bar says of how the text is read."""

from shaderlab.app.shell.reading_menu import reading_text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import RECOGNISED, Language, Reading
from shaderlab.frontend.stage import Stage

from ..session.fakes import program

TOY, HLSL = program("toy"), program("h", dialect=Dialect.HLSL)


def test_what_was_recognised_and_which_way_is_up():
    assert reading_text(TOY, RECOGNISED, compiles=True) == "Shadertoy, Y up"
    assert reading_text(TOY, RECOGNISED, compiles=False) == "Shadertoy, Y up"


def test_what_was_chosen_is_marked():
    chosen = Reading(Language.HLSL, entry="PSMain")
    assert reading_text(HLSL, chosen, compiles=True) == "HLSL (set by you), Y down, PSMain"
    named = reading_text(HLSL, chosen, compiles=True, by_project=True)
    assert named.startswith("HLSL (set by project), ")
    assert reading_text(HLSL, Reading(stage=Stage.VERTEX), compiles=False).endswith("vertex stage")


def test_the_last_program_does_not_say_how_a_text_that_fails_is_read():
    assert reading_text(TOY, Reading(Language.WGSL), compiles=False) == "WGSL"
    assert reading_text(None, RECOGNISED, compiles=False) == "Language…"
