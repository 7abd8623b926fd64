"""Presets of RetroArch: who reads whose picture, and what may not be followed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.errors import WrongUse
from shaderlab.projects.communities import project_in
from shaderlab.projects.project import SHOWN_PASS
from shaderlab.scene.draw import ColourFormat
from shaderlab.scene.inputs import Input, Source
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Pattern, Texture, Wrap

SHADER = "#version 450\n#pragma stage fragment\nvoid main() {}\n"


@pytest.fixture
def preset(tmp_path):
    """Writes a preset with three shaders, `a.slang` to `c.slang`, and opens it."""
    folder = tmp_path / "presets"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.slang").write_text(SHADER)

    def opened(text: str, **others: str):
        for name, its in others.items():
            (folder / f"{name}.slangp").write_text(its)
        path = folder / "case.slangp"
        path.write_text(text)
        return project_in(path)

    opened.folder = folder
    return opened


def sources(state) -> dict:
    return {name: each.value.source for name, each in state.inputs.textures.items()}


def test_each_pass_reads_what_was_drawn_before_it_and_all_of_the_frame_before(preset):
    project = preset(
        "shaders = 3\nshader0 = a.slang\nalias0 = first\nshader1 = b.slang\nshader2 = c.slang\n"
        "filter_linear1 = true\nwrap_mode1 = repeat\nmipmap_input2 = true\n"
    )
    first, second = (sources(each.state) for each in project.passes)
    shown = sources(project.state)
    assert first["Source"] == second["Original"] == shown["OriginalHistory2"] == Pattern.GAME
    assert "PassOutput0" not in first
    assert second["Source"] == second["first"] == shown["PassOutput0"] == PassPicture("first")
    assert first["firstFeedback"] == shown["PassFeedback0"] == PassPicture("first", before=True)
    assert shown["Source"] == PassPicture("1 b")
    how = project.state.inputs.textures["first"].value
    assert (how.filter, how.wrap) == (Filter.LINEAR, Wrap.REPEAT), "as the second pass reads it"
    assert project.state.inputs.textures["Source"].value.filter is Filter.MIPMAP
    assert project.passes[0].state.inputs.textures["Source"].value.wrap is Wrap.BORDER


def test_a_last_pass_with_a_scale_is_shown_by_one_of_retroarchs_own(preset):
    project = preset("shaders = 1\nshader0 = a.slang\nscale_type0 = source\nscale0 = 2\n")
    assert [each.name for each in project.passes] == ["0 a"]
    assert project.shader.name == "stock.slang"
    framed, shown = project.rule.states(project, project.state)
    assert (framed.size, shown.size) == ((512, 448), (1024, 768))


def test_a_format_is_the_texts_unless_the_preset_has_one(preset):
    (preset.folder / "a.slang").write_text("#pragma format R32G32B32A32_SFLOAT\n" + SHADER)
    text = "shaders = 2\nshader0 = a.slang\nshader1 = b.slang\n"
    colour = preset(text).passes[0].state.attachments.colour
    assert colour is ColourFormat.RGBA32F
    framed = preset(text + "scale_type0 = source\nfloat_framebuffer0 = true\n")
    assert framed.passes[0].state.attachments.colour is ColourFormat.RGBA16F


def test_a_reference_is_taken_with_its_passes_and_later_ones_with_their_settings(preset):
    base = "shaders = 1\nshader0 = a.slang\namount = 1.0\nother = 2.0\n"
    project = preset(
        '#reference "base.slangp"\n#reference "more.slangp"\nshaders = 9\namount = 3.0\n',
        base=base,
        more="shaders = 2\nother = 4.0\nscale0 = 7\n",
    )
    assert project.shader.name == "a.slang"
    values = project.state.inputs.values
    assert (values["*.amount"].value, values["*.other"].value) == ((3.0,), (4.0,))
    assert "*.scale0" not in values


def test_a_missing_picture_is_a_default_that_is_seen(preset):
    text = "shaders = 1\nshader0 = a.slang\ntextures = LUT\nLUT = none.png\nLUT_linear = true\n"
    given = preset(text).state.inputs.textures["LUT"]
    assert (given.source, given.value.source) == (Source.DEFAULT, Pattern.GRADIENT)


def test_the_game_that_the_user_chose_decides_sizes(preset):
    project = preset("shaders = 1\nshader0 = a.slang\nscale_type0 = source\nscale0 = 3\n")
    chosen = Input(Texture(ImageFile(preset.folder / "own.png", size=(40, 30))), Source.SET)
    inputs = replace(project.state.inputs, textures={"Original": chosen})
    first, shown = project.rule.states(project, replace(project.state, inputs=inputs))
    assert first.size == (120, 90)
    assert first.inputs.textures["Source"] == first.inputs.textures["Original"] == chosen
    assert first.inputs.values["*.SourceSize"].value == (40.0, 30.0, 1 / 40, 1 / 30)
    assert shown.inputs.values["*.SourceSize"].value[:2] == (120.0, 90.0)


def test_what_the_user_set_holds_for_every_pass(preset):
    project = preset("shaders = 2\nshader0 = a.slang\nshader1 = b.slang\namount = 1\n")
    values = {**project.state.inputs.values, "push.amount": Input((0.5,), Source.SET)}
    inputs = replace(project.state.inputs, values=values)
    first, _ = project.rule.states(project, replace(project.state, inputs=inputs))
    assert first.inputs.values["*.amount"].value == (0.5,)


ONE = "shaders = 1\nshader0 = a.slang\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "shaders: it names no shader"),
        ("shaders = 1\n", "shader0: it is missing"),
        ("shaders = 1000\nshader0 = a.slang\n", "shaders: 1,000 passes; at most 64"),
        ("shaders = many\n", '"many" is not a number'),
        ('shaders = 1\nshader0 = "none.slang"\n', 'shader0: there is no file "none.slang"'),
        ('shaders = 1\nshader0 = "../secret.slang"\n', "outside the preset's folder"),
        ('shaders = 1\nshader0 = "..\\secret.slang"\n', "outside the preset's folder"),
        ('shaders = 1\nshader0 = "/etc/passwd"\n', "outside the preset's folder"),
        ('shaders = 1\nshader0 = "link.slang"\n', "outside the preset's folder"),
        (ONE + "textures = A\nA = ../secret.png\n", "A: .*outside the preset's folder"),
        (ONE + "textures = A\n", "A: it is missing"),
        (ONE + "textures = " + ";".join(f"T{n}" for n in range(900)), "900 textures; at most 64"),
        (ONE + "scale_type0 = huge\n", '"huge" is not one of source, viewport, absolute'),
        (ONE + "scale_type0 = source\nscale0 = twice\n", '"twice" is not a number'),
        ("#reference case.slangp\n", "refer to each other: case.slangp -> case.slangp"),
        ("#reference none.slangp\n", 'there is no file "none.slangp"'),
        ("#reference ../secret.slangp\n", "outside the preset's folder"),
    ],
)
def test_what_cannot_be_followed_is_refused_by_its_entry(preset, text, says):
    secret = preset.folder.parent / "secret.slang"
    for suffix in (".slang", ".png", ".slangp"):
        secret.with_suffix(suffix).write_text(SHADER)
    (preset.folder / "link.slang").symlink_to(secret)
    with pytest.raises(WrongUse, match=rf"^case\.slangp: .*{says}"):
        preset(text)


def test_references_that_double_are_given_up(preset):
    others = {f"p{n}": f"#reference p{n + 1}.slangp\n" * 2 for n in range(14)}
    with pytest.raises(WrongUse, match="more than 64 presets"):
        preset("#reference p0.slangp\n", **others, p14=ONE)


@pytest.mark.parametrize("scale", ["100000", "1e20"])
def test_a_picture_that_no_device_draws_is_refused(preset, scale):
    project = preset(
        f"shaders = 2\nshader0 = a.slang\nscale_type0 = absolute\nscale0 = {scale}\n"
        "shader1 = b.slang\n"
    )
    with pytest.raises(WrongUse, match=r"case\.slangp: scale0: .* a side has 1 to 16,384"):
        project.rule.states(project, project.state)


def test_a_pass_is_never_called_as_the_shown_one(preset):
    project = preset(
        f"shaders = 2\nshader0 = a.slang\nalias0 = {SHOWN_PASS}\nshader1 = b.slang\nalias1 = x\n"
    )
    assert [each.name for each in project.passes] == ["0 a"]
