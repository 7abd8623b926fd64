"""Every action of the window as data: menus, toolbar, shortcuts and the command palette read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from shaderlab.app.shell.panels import PANELS


class When(Enum):
    """Condition under which a command can be used."""

    ALWAYS = "always"
    DOCUMENT_IS_TEXT = "the document is text"
    CAN_UNDO = "there is something to undo"
    CAN_REDO = "there is something to redo"
    HAS_PROBLEMS = "there are problems"
    CAN_PROFILE = "the device can profile"
    PROFILING = "a profile is running"
    CAN_RECORD = "the device can record a sample"
    HAS_PICTURE = "a picture is there"
    HAS_SAMPLES = "samples were recorded"
    HAS_VERTEX_TEXT = "there is a text of the vertex stage"
    HAS_PINNED = "a variant is pinned"


SEPARATOR = "-"


@dataclass(frozen=True)
class Command:
    """One action."""

    id: str
    """Subject and name: `file.save_as`.  The subject's module says what it does."""
    text: str
    """As in the menu; no two alike."""
    shortcut: str
    """Portable key sequence; alternatives divided by `; `."""
    icon: str = ""
    when: When = When.ALWAYS
    checkable: bool = False
    tip: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("file.new", "&New shader", "Ctrl+N", "new"),
    Command("file.open", "&Open…", "Ctrl+O", "open"),
    Command(
        "file.open_capture",
        "Open cap&ture…",
        "Ctrl+Alt+T",
        tip="Open a frame of another program, captured with RenderDoc",
    ),
    Command("file.examples", "&Examples…", "Ctrl+E", "examples", tip="Open an example shader"),
    Command("file.save", "&Save", "Ctrl+S", "save", When.DOCUMENT_IS_TEXT),
    Command("file.save_as", "Save &as…", "Ctrl+Shift+S", when=When.DOCUMENT_IS_TEXT),
    Command("file.save_picture", "Save &picture…", "Ctrl+Alt+S", when=When.HAS_PICTURE),
    Command("file.copy_picture", "Cop&y picture", "Ctrl+Shift+C", when=When.HAS_PICTURE),
    Command(
        "file.export_animation",
        "Export an animat&ion…",
        "Ctrl+Alt+X",
        when=When.HAS_PICTURE,
        tip="Draw a range of time into PNG pictures, a GIF or an MP4 video",
    ),
    Command(
        "file.export_samples",
        "Review and e&xport samples…",
        "Ctrl+Alt+E",
        when=When.HAS_SAMPLES,
        tip="Check what would leave this machine before it is written",
    ),
    Command("file.reload", "&Reload from disk", "Ctrl+Shift+R"),
    Command("file.recover", "Restore &unsaved texts…", "Ctrl+Alt+R"),
    Command("file.close", "&Close", "Ctrl+W", tip="Close the document in front"),
    Command("file.next_tab", "Ne&xt document", "Ctrl+Tab; Ctrl+PgDown"),
    Command("file.previous_tab", "Pre&vious document", "Ctrl+Shift+Tab; Ctrl+PgUp"),
    Command("file.documents", "&Go to document…", "Ctrl+P", tip="List the open documents"),
    Command(
        "file.tabs",
        "Open documents in &tabs",
        "Ctrl+Alt+N",
        checkable=True,
        tip="Keep a document open when another is opened, and at the next start",
    ),
    Command("file.settings", "Se&ttings…", "Ctrl+,", tip="Font, colours, keys and limits"),
    Command("file.quit", "&Quit", "Ctrl+Q"),
    Command("edit.undo", "&Undo", "Ctrl+Z", "undo", When.CAN_UNDO),
    Command("edit.redo", "&Redo", "Ctrl+Shift+Z; Ctrl+Y", "redo", When.CAN_REDO),
    Command("edit.find", "&Find…", "Ctrl+F", "search"),
    Command("edit.find_next", "Find &next", "F3"),
    Command("edit.find_previous", "Find &previous", "Shift+F3"),
    Command("edit.replace", "R&eplace…", "Ctrl+H", "replace", When.DOCUMENT_IS_TEXT),
    Command("edit.comment", "Toggle &comment", "Ctrl+/", when=When.DOCUMENT_IS_TEXT),
    Command(
        "edit.format",
        "Format &document",
        "Alt+Shift+F",
        when=When.DOCUMENT_IS_TEXT,
        tip="Format the text with clang-format",
    ),
    Command(
        "edit.format_selection",
        "Format selection",
        "Ctrl+Alt+F",
        when=When.DOCUMENT_IS_TEXT,
        tip="Format the selected lines with clang-format",
    ),
    Command("edit.go_to_line", "&Go to line…", "Ctrl+G"),
    Command("edit.complete", "C&omplete", "Ctrl+Space", when=When.DOCUMENT_IS_TEXT),
    Command("edit.parameters", "Show &parameters", "Ctrl+Shift+Space", when=When.DOCUMENT_IS_TEXT),
    Command("edit.definition", "Go to &definition", "F12"),
    Command("edit.back", "Go &back", "Alt+Left", tip="To where the caret was before the last jump"),
    Command("edit.references", "Find &uses…", "Shift+F12"),
    Command("edit.rename", "Re&name…", "F2", when=When.DOCUMENT_IS_TEXT),
    Command("edit.outline", "Go to &symbol…", "Ctrl+Shift+O"),
    Command(
        "edit.next_occurrence",
        "Select ne&xt occurrence",
        "Ctrl+D",
        when=When.DOCUMENT_IS_TEXT,
        tip="Add a caret at the next place with the selected text",
    ),
    Command("edit.lines_up", "Move lines up", "Alt+Up", when=When.DOCUMENT_IS_TEXT),
    Command("edit.lines_down", "Move lines down", "Alt+Down", when=When.DOCUMENT_IS_TEXT),
    Command("edit.fold", "Fold or unfold", "Ctrl+Shift+["),
    Command("edit.fold_all", "Fold or unfold all", "Ctrl+Shift+]"),
    Command(
        "edit.hot_line", "Next &hottest line", "F4", tip="Step through the hot lines, hottest first"
    ),
    Command("edit.next_problem", "Next pro&blem", "F8", when=When.HAS_PROBLEMS),
    Command("edit.previous_problem", "Previous problem", "Shift+F8", when=When.HAS_PROBLEMS),
    *(Command(f"view.{each.name}", each.title, each.shortcut, each.icon) for each in PANELS),
    Command("view.next_part", "Next pa&rt of the window", "F6"),
    Command("view.previous_part", "Previous part of the window", "Shift+F6"),
    Command(
        "view.close_panel",
        "C&lose the panel",
        "Ctrl+Shift+W",
        tip="Close the panel that has the focus",
    ),
    Command("view.side", "Preview and panels", "Ctrl+B", checkable=True),
    Command("view.problems", "&Problems", "Ctrl+Shift+M", checkable=True),
    Command("view.counts", "&Counts in the margin", "Ctrl+Shift+K", checkable=True),
    Command("view.shares", "Tim&e per line in the margin", "Ctrl+Shift+J", checkable=True),
    Command(
        "view.heat",
        "&Show over the preview",
        "Ctrl+Shift+H",
        "heat",
        checkable=True,
        tip="Heat map: the cost of each pixel of the preview",
    ),
    Command("view.heat_instructions", "&Instructions per pixel", "Ctrl+Alt+4", checkable=True),
    Command("view.heat_lanes", "Active &lanes (divergence)", "Ctrl+Alt+5", checkable=True),
    Command("view.heat_blocks", "&Executions of the chosen block", "Ctrl+Alt+6", checkable=True),
    Command(
        "view.stage",
        "Verte&x shader",
        "F7",
        when=When.HAS_VERTEX_TEXT,
        tip="Switch between the fragment shader and the vertex shader",
    ),
    Command(
        "view.split",
        "Split the editor to the ri&ght",
        "Ctrl+\\",
        tip="Show two views side by side; choose it again for one",
    ),
    Command(
        "view.split_down",
        "Split the editor down&wards",
        "Ctrl+Alt+\\",
        tip="Show two views, one above the other; choose it again for one",
    ),
    Command("view.other_view", "Other vie&w of the editor", "Ctrl+J"),
    Command("view.close_split", "Close the split", "Ctrl+Shift+\\"),
    Command("view.wrap", "&Wrap long lines", "Alt+Z", checkable=True),
    Command("view.zoom_in", "Zoom &in", "Ctrl++; Ctrl+="),
    Command("view.zoom_out", "Zoom &out", "Ctrl+-"),
    Command("view.zoom_reset", "&Reset zoom", "Ctrl+0"),
    Command("view.theme_system", "Follow the &system", "Ctrl+Alt+1", checkable=True),
    Command("view.theme_light", "&Light", "Ctrl+Alt+2", checkable=True),
    Command("view.theme_dark", "&Dark", "Ctrl+Alt+3", checkable=True),
    Command(
        "view.preview_full_screen",
        "Pre&view in full screen",
        "Shift+F11",
        tip="Show only the preview; again or Escape to go back",
    ),
    Command("view.full_screen", "&Full screen", "F11", checkable=True),
    Command("view.reset_layout", "Reset la&yout", "Ctrl+Alt+0"),
    Command("view.notifications", "&Messages…", "Ctrl+Shift+N"),
    Command("run.play", "&Play or pause", "F5", "play", tip="Play or pause the preview"),
    Command("run.restart", "&Restart time", "Shift+F5", "restart"),
    Command("run.step", "Next &frame", "Ctrl+F5", "step", tip="Pause and advance by 1/60 s"),
    Command(
        "run.step_back",
        "Previous fra&me",
        "Ctrl+F6",
        "step-back",
        tip="Pause and go back by 1/60 s",
    ),
    Command("run.profile", "Pro&file on this device", "F9", "profile", When.CAN_PROFILE),
    Command(
        "run.calibrate",
        "Cali&brate this device…",
        "Ctrl+Alt+B",
        "targets",
        When.CAN_PROFILE,
        tip="Make this device a prediction target",
    ),
    Command("run.stop_profile", "&Stop profiling", "Shift+F9", "stop", When.PROFILING),
    Command(
        "run.profile_sizes",
        "Profile at several si&zes",
        "Ctrl+F9",
        "sizes",
        When.CAN_PROFILE,
        tip="Time the shader from 1/16 of the canonical pixel count to twice as many",
    ),
    Command(
        "run.record",
        "R&ecord as a sample",
        "F10",
        "record",
        When.CAN_RECORD,
        tip="Keep the program, its counts and its timings on this machine",
    ),
    Command(
        "run.pin",
        "Pin this &variant",
        "Ctrl+Shift+V",
        tip="Keep this version to compare times and statistics with",
    ),
    Command("run.unpin", "&Unpin the variant", "Ctrl+Alt+V", when=When.HAS_PINNED),
    Command(
        "run.compare",
        "Compare &with the variant…",
        "Ctrl+Alt+W",
        tip="Text, cost of each line and picture of the pinned variant beside the current ones",
    ),
    Command(
        "run.copy_command",
        "Copy the re&producing command",
        "Ctrl+Alt+K",
        tip="Copy the command that prints the selected family's statistics and code",
    ),
    Command(
        "run.vertex",
        "Open a &vertex shader…",
        "Ctrl+Alt+O",
        tip="Draw with a vertex stage of your own",
    ),
    Command(
        "run.capture",
        "Capture a pro&gram…",
        "Ctrl+Alt+G",
        tip="Start a program under RenderDoc and open one of its frames",
    ),
    Command(
        "run.macros",
        "Macros and include f&olders…",
        "Ctrl+Alt+M",
        tip="Define macros and add folders to include from",
    ),
    Command("run.compile", "&Compile now", "Ctrl+Return", when=When.DOCUMENT_IS_TEXT),
    Command("run.compile_on_save", "Compile on &save only", "Ctrl+Alt+C", checkable=True),
    Command("run.start_paused", "Start &paused", "Ctrl+Alt+P", checkable=True),
    Command("run.limits", "Li&mits…", "Ctrl+Alt+L", tip="Time and memory limits"),
    Command(
        "run.analysers",
        "E&xternal analysers…",
        "Ctrl+Alt+A",
        tip="Paths of Arm's malioc and AMD's rga",
    ),
    Command("run.find_devices", "&Search for devices again", "Ctrl+Alt+D", "device"),
    Command("help.manual", "&Manual", "Ctrl+Shift+F1"),
    Command("help.welcome", "&Welcome tour", "Ctrl+F1", tip="Three steps on the open shader"),
    Command("help.commands", "&Command palette…", "Ctrl+Shift+P; F1", "commands"),
    Command("help.shortcuts", "&Keyboard shortcuts…", "Ctrl+Shift+/", tip="Search and change them"),
    Command("help.diagnostics", "Copy &diagnostics", "Ctrl+Alt+I"),
    Command("help.about", "&About shaderlab", "Shift+F1"),
)

# fmt: off
MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("&File", (
        "file.new", "file.open", "file.open_capture", "recent", "file.examples", SEPARATOR,
        "file.save", "file.save_as", "file.save_picture",
        "file.copy_picture", "file.export_animation", "file.export_samples", "file.reload",
        "file.recover", SEPARATOR,
        "file.close", "file.next_tab", "file.previous_tab", "file.documents", "file.tabs",
        SEPARATOR,
        "file.settings", "file.quit",
    )),
    ("&Edit", (
        "edit.undo", "edit.redo", SEPARATOR,
        "edit.find", "edit.find_next", "edit.find_previous", "edit.replace", SEPARATOR,
        "edit.complete", "edit.parameters", "edit.definition", "edit.references", "edit.rename",
        "edit.outline", "edit.back", SEPARATOR,
        "edit.comment", "edit.next_occurrence", "edit.lines_up", "edit.lines_down", "edit.fold",
        "edit.fold_all", "edit.format", "edit.format_selection", SEPARATOR,
        "edit.go_to_line", "edit.hot_line", SEPARATOR,
        "edit.next_problem", "edit.previous_problem",
    )),
    ("&View", (
        "panels", "view.side", "view.next_part", "view.previous_part", SEPARATOR,
        "view.problems", "view.counts", "view.shares", "heat", "view.stage",
        "view.wrap", SEPARATOR,
        "view.split", "view.split_down", "view.other_view", "view.close_split", SEPARATOR,
        "view.zoom_in", "view.zoom_out", "view.zoom_reset", SEPARATOR,
        "theme", "view.preview_full_screen", "view.full_screen", "view.reset_layout",
        "view.notifications",
    )),
    ("&Run", (
        "run.play", "run.restart", "run.step", "run.step_back", "geometry", "vertex",
        "run.vertex", SEPARATOR,
        "reading", "run.macros", SEPARATOR,
        "run.capture", SEPARATOR,
        "run.profile", "run.profile_sizes", "run.stop_profile", "run.record",
        "run.calibrate", SEPARATOR,
        "run.pin", "run.unpin", "run.compare", "run.copy_command", SEPARATOR,
        "run.compile", "run.compile_on_save", "run.start_paused", "run.limits",
        "run.analysers", SEPARATOR,
        "devices", "run.find_devices",
    )),
    ("&Help", (
        "help.manual", "help.welcome", SEPARATOR,
        "help.commands", "help.shortcuts", "help.diagnostics", "help.about",
    )),
)
# fmt: on
"""Menu titles and their entries: command ids, separators, names of sub-menus the window fills."""

PANEL_COMMANDS = (*(f"view.{each.name}" for each in PANELS), SEPARATOR, "view.close_panel")
THEME_COMMANDS = ("view.theme_system", "view.theme_light", "view.theme_dark")
HEAT_COMMANDS = ("view.heat", "view.heat_instructions", "view.heat_lanes", "view.heat_blocks")
"""The switch, then the kinds, one of which is chosen."""

TOOLBAR: tuple[str, ...] = (
    "file.new", "file.open", "file.save", "file.examples", SEPARATOR,
    "edit.undo", "edit.redo", "edit.find", SEPARATOR,
    "run.profile", "run.record", SEPARATOR, "help.commands",
)  # fmt: skip
TEXT_BESIDE_ICON = ("file.examples", "run.profile")
"""Toolbar buttons whose icon is not self-explanatory."""


def plain_text(command: Command) -> str:
    """The command's text without menu marks."""
    return command.text.replace("&", "").removesuffix("…")


def palette_text(command: Command) -> str:
    """`Run: Restart time`: what the command palette lists."""
    menu = command.id.partition(".")[0].capitalize()
    name = plain_text(command)
    if command.id in THEME_COMMANDS:
        name = f"Colours: {name[:1].lower()}{name[1:]}"
    elif command.id in HEAT_COMMANDS:
        name = f"Heat map: {name[:1].lower()}{name[1:]}"
    return f"{menu}: {name}"
