"""What each command does: one method per entry of `commands.COMMANDS`."""

from __future__ import annotations

from pathlib import Path

from shaderlab import __version__
from shaderlab.app.qt import QKeySequence, Qt, QtWidgets
from shaderlab.app.session import profile_plan as profile_run
from shaderlab.app.shell import commands, problem_report
from shaderlab.app.shell.limits_dialog import LimitsDialog
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples
from shaderlab.spirv.heat import HeatKind


class Handlers:
    """Mixed into the main window, whose parts it uses."""

    # -- file -------------------------------------------------------------------------------

    def file_new(self) -> None:
        self.documents.new()

    def file_open(self) -> None:
        self.documents.open_dialog()

    def file_examples(self) -> None:
        entries = [Entry(e.path.stem, e.title, e.shows) for e in examples()]
        palette = CommandPalette(
            entries, "Open an example", self, hints_at=Qt.AlignmentFlag.AlignLeft
        )
        known = {e.path.stem: e for e in examples()}
        palette.chosen.connect(lambda name: self.documents.open_example(known[name]))
        palette.popup()

    def file_save(self) -> None:
        if self.documents.save() and self.settings.compile_on_save:
            self.session.edit(self.editor.text)

    def file_save_as(self) -> None:
        if self.documents.save_as() and self.settings.compile_on_save:
            self.session.edit(self.editor.text)

    def file_save_picture(self) -> None:
        image = self.preview.picture.image
        if image is None:
            return
        start = Path.home() / f"{Path(self.documents.document.name).stem}.png"
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save the picture", str(start), "PNG pictures (*.png)"
        )
        if name and not image.save(name):
            self.notices.say("error", f"{Path(name).name} cannot be saved")

    def file_export_samples(self) -> None:
        self.samples.review()

    def file_reload(self) -> None:
        self.documents.reload()

    def file_recover(self) -> None:
        if self.recovery is not None:
            self.recovery.choose()

    def file_quit(self) -> None:
        self.close()

    # -- edit -------------------------------------------------------------------------------

    def edit_undo(self) -> None:
        self.editor.undo()

    def edit_redo(self) -> None:
        self.editor.redo()

    def edit_find(self) -> None:
        self.find_bar.open_bar(replacing=False)

    def edit_find_next(self) -> None:
        self.find_bar.find_next()

    def edit_find_previous(self) -> None:
        self.find_bar.find_previous()

    def edit_replace(self) -> None:
        self.find_bar.open_bar(replacing=True)

    def edit_comment(self) -> None:
        self.editor.toggle_comment()

    def edit_go_to_line(self) -> None:
        number, agreed = QtWidgets.QInputDialog.getInt(
            self, "Go to line", "Line:", self.editor.cursor[0], 1, self.editor.line_count
        )
        if agreed:
            self.editor.go_to(number)
            self.editor.setFocus()

    def edit_hot_line(self) -> None:
        line = self.hot_lines_panel.hot_line_after(self.editor.cursor[0])
        if line:
            self.go_to_line("", line)
            self.editor.setFocus()

    def edit_next_problem(self) -> None:
        self._go_to_problem(+1)

    def edit_previous_problem(self) -> None:
        self._go_to_problem(-1)

    def _go_to_problem(self, step: int) -> None:
        found = [d for d in self.session.compiling.diagnostics if d.line and not d.file]
        if not found:
            return
        here = self.editor.cursor[0]
        if step > 0:
            target = next((d for d in found if d.line > here), found[0])
        else:
            target = next((d for d in reversed(found) if d.line < here), found[-1])
        self.jump_to(target)

    # -- view -------------------------------------------------------------------------------

    def view_targets(self) -> None:
        self.show_tab(self.targets_panel)

    def view_hot_lines(self) -> None:
        self.show_tab(self.hot_lines_panel)

    def view_blocks(self) -> None:
        self.show_tab(self.blocks_panel)

    def view_device(self) -> None:
        self.show_tab(self.profile_panel)

    def view_amd(self) -> None:
        self.show_tab(self.amd_panel)

    def view_samples(self) -> None:
        self.show_tab(self.samples_panel)

    def view_side(self, shown: bool) -> None:
        self.settings.side_visible = shown
        self.side.setVisible(shown)
        self.session.on_device.set_visible(shown)

    def view_problems(self, shown: bool) -> None:
        self.problems.open(shown)

    def view_counts(self, shown: bool) -> None:
        self.settings.show_counts = shown
        self.editor.show_counts(shown)

    def view_shares(self, shown: bool) -> None:
        self.settings.show_shares = shown
        self.editor.show_shares(shown)

    def view_heat(self, shown: bool) -> None:
        self.heat.show(shown)

    def view_heat_instructions(self, _checked: bool = True) -> None:
        self.heat.choose(HeatKind.INSTRUCTIONS)

    def view_heat_lanes(self, _checked: bool = True) -> None:
        self.heat.choose(HeatKind.LANES)

    def view_heat_blocks(self, _checked: bool = True) -> None:
        self.heat.choose(HeatKind.BLOCKS)

    def view_wrap(self, wrap: bool) -> None:
        self.settings.wrap_lines = wrap
        self.editor.set_wrap(wrap)

    def view_zoom_in(self) -> None:
        self._zoom(self.editor.zoom + 1)

    def view_zoom_out(self) -> None:
        self._zoom(self.editor.zoom - 1)

    def view_zoom_reset(self) -> None:
        self._zoom(0)

    def _zoom(self, points: int) -> None:
        self.editor.set_zoom(max(-5, min(points, 20)))

    def view_theme_system(self, _checked: bool = True) -> None:
        self.choose_theme(ThemeChoice.SYSTEM)

    def view_theme_light(self, _checked: bool = True) -> None:
        self.choose_theme(ThemeChoice.LIGHT)

    def view_theme_dark(self, _checked: bool = True) -> None:
        self.choose_theme(ThemeChoice.DARK)

    def view_full_screen(self, full: bool) -> None:
        state = Qt.WindowState.WindowFullScreen
        self.setWindowState(self.windowState() | state if full else self.windowState() & ~state)

    def view_reset_layout(self) -> None:
        self.default_layout()

    def view_notifications(self) -> None:
        said = [
            f"{n.text}  (\u00d7{n.times})" if n.times > 1 else n.text
            for n in self.notices.notices[::-1]
        ]
        self._show_table("Messages so far", [(text, "") for text in said] or [("None yet", "")])

    # -- run --------------------------------------------------------------------------------

    def run_play(self) -> None:
        self.session.on_device.toggle_play()

    def run_restart(self) -> None:
        self.session.on_device.restart()

    def run_step(self) -> None:
        self.session.on_device.step()

    def run_profile(self) -> None:
        self.show_tab(self.profile_panel)
        self.session.on_device.profile(*self.profile_panel.plan)

    def run_profile_sizes(self) -> None:
        self.show_tab(self.profile_panel)
        self.session.on_device.profile(*self.profile_panel.plan, profile_run.SEVERAL)

    def run_record(self) -> None:
        self.samples.record()

    def run_calibrate(self) -> None:
        self.calibrating.open()

    def run_stop_profile(self) -> None:
        # A draw under way cannot be recalled, so the device's worker is replaced.
        self.session.use_device(self.session.device)

    def run_pin(self) -> None:
        self.amd.pin()

    def run_unpin(self) -> None:
        self.amd.unpin()

    def run_copy_command(self) -> None:
        self.amd.copy_command()

    def run_compile(self) -> None:
        self.session.edit(self.editor.text)
        self.session.compile_again()

    def run_compile_on_save(self, only: bool) -> None:
        self.settings.compile_on_save = only
        if not only:
            self.session.edit(self.editor.text)

    def run_start_paused(self, paused: bool) -> None:
        self.settings.start_paused = paused

    def run_limits(self) -> None:
        dialog = LimitsDialog(self.settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.apply_limits)
        dialog.open()

    def run_analysers(self) -> None:
        self.amd.show_analysers()

    def run_find_devices(self) -> None:
        self.device_choice.look()

    # -- help -------------------------------------------------------------------------------

    def help_commands(self) -> None:
        entries = []
        for command in self.actions_.commands:
            action = self.actions_[command.id]
            if action.isEnabled():
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                name = commands.palette_text(command)
                entries.append(Entry(command.id, name, keys, action.icon()))
        palette = CommandPalette(entries, "Type a command", self)
        palette.chosen.connect(lambda command_id: self.actions_[command_id].trigger())
        palette.popup()

    def help_shortcuts(self) -> None:
        native = QKeySequence.SequenceFormat.NativeText
        self._show_table(
            "Keyboard shortcuts",
            [
                (
                    commands.palette_text(command),
                    ", ".join(k.toString(native) for k in self.actions_[command.id].shortcuts()),
                )
                for command in self.actions_.commands
            ],
        )

    def help_diagnostics(self) -> None:
        session, device = self.session, self.session.on_device
        errors = (device.render_error, device.trace_error, device.measurement_error)
        facts = problem_report.Facts(
            device=session.device,
            devices=self.device_choice.devices,
            notices=self.notices.notices,
            limits=self.settings.limits,
            errors=[e for e in (*errors, session.forecast_error) if e is not None],
            replacements=session.replacements,
            blocks=tuple(self.watchdog.blocks) if self.watchdog is not None else (),
            crash=self.recovery.last_crash if self.recovery is not None else "",
        )
        session.bridge.watch(
            problem_report.gather(facts),
            self._copy_diagnostics,
            lambda error: self.notices.say("error", str(error)),
        )

    def _copy_diagnostics(self, report: str) -> None:
        QtWidgets.QApplication.clipboard().setText(report)
        self.notices.say("note", "Diagnostics are in the clipboard; they hold no shader text")

    def help_about(self) -> None:
        QtWidgets.QMessageBox.about(
            self,
            "About shaderlab",
            f"<b>shaderlab {__version__}</b><p>See what every line of a fragment shader costs, "
            "here and on GPUs you do not own.</p><p>Free software under the GPL, version 3 or "
            "later.</p>",
        )

    def _show_table(self, title: str, rows: list[tuple[str, str]]) -> None:
        dialog = QtWidgets.QDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        table = QtWidgets.QTreeWidget()
        table.setHeaderHidden(True)
        table.setRootIsDecorated(False)
        table.setColumnCount(2)
        for row in rows:
            table.addTopLevelItem(QtWidgets.QTreeWidgetItem(list(row)))
        table.resizeColumnToContents(0)
        close = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(dialog.reject)
        layout = QtWidgets.QVBoxLayout(dialog)
        layout.addWidget(table)
        layout.addWidget(close)
        dialog.resize(520, 520)
        dialog.open()

    def choose_theme(self, choice: ThemeChoice) -> None:
        self.settings.theme = choice
        self.apply_theme()

    def apply_theme(self) -> None:
        """Colours everywhere, from the choice and the desktop's scheme."""
        self.theme = theme.current(self.settings.theme)
        theme.apply(QtWidgets.QApplication.instance(), self.theme)
        for view in (
            self.editor, self.find_bar, self.problems, self.preview, self.targets_panel,
            self.hot_lines_panel, self.blocks_panel, self.profile_panel, self.amd_panel,
            self.samples_panel, self.notification_bar,
        ):  # fmt: skip
            view.set_theme(self.theme)
        self.actions_.tint(self.theme)
        for choice, command_id in zip(ThemeChoice, commands.THEME_COMMANDS, strict=True):
            self.actions_[command_id].setChecked(self.settings.theme is choice)
        self.results.refresh()
