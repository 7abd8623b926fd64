"""Control flow and assembly of what was counted: asked for while somebody looks, once each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.app.panels.flow.code_presenter import spirv_lines
from shaderlab.app.panels.flow.graph import graphs
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.errors import InvalidModule
from shaderlab.spirv.analysis.flow_counts import FunctionFlow
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace

from .fakes import REST_MORE_S, frame, trace

FLOWS = ("flow of main",)
CODE = {5: "%5 = OpLabel"}


class Desk:
    def __init__(self, driven):
        self.driven, self.flow = driven, driven.session.flow
        self.changes: list[str] = []
        self.flow.changed.connect(lambda: self.changes.append("flow"))
        self.flow.code_changed.connect(lambda: self.changes.append("code"))

    def asked(self, task: str) -> list[str]:
        return [each.of.name for each in self.driven.text.requests if each.task == task]

    def answer(self, task: str, value: object) -> None:
        (request,) = (each for each in self.driven.text.open if each.task == task)
        request.answer(value)

    def fail(self, task: str) -> None:
        (request,) = (each for each in self.driven.text.open if each.task == task)
        request.fail(InvalidModule("no flow"))

    def another_frame(self) -> None:
        """The same program is counted at another size."""
        self.driven.session.drawing.count_at(CountedRun((640, 480)))
        self.driven.device.answer(frame())
        self.driven.clock.move(REST_MORE_S)
        self.driven.device.answer(trace())

    def another(self, name: str) -> None:
        self.driven.session.edit(name)
        self.driven.serve(name)


@pytest.fixture
def desk(driven):
    driven.serve("a")
    return Desk(driven)


def test_nobody_looks_and_nothing_is_read(desk):
    assert desk.asked("flows") == desk.asked("function texts") == []
    assert (desk.flow.flows, desk.flow.trace, desk.flow.code) == ((), None, {})


def test_flow_is_read_once_for_who_looks(desk):
    flow = desk.flow
    flow.want(True)
    flow.want(True)
    assert desk.asked("flows") == ["a"]
    desk.answer("flows", FLOWS)
    assert flow.flows == FLOWS
    assert flow.trace is desk.driven.session.on_device.counts.trace
    assert flow.error is None
    assert desk.changes == ["flow"]
    flow.want(False)
    flow.want(True)
    assert desk.asked("flows") == ["a"]
    assert desk.changes == ["flow"]


def test_another_frame_of_the_program_has_the_same_flow(desk):
    desk.flow.want(True)
    desk.answer("flows", FLOWS)
    former = desk.flow.trace
    desk.another_frame()
    assert desk.flow.trace is not former
    assert desk.flow.flows == FLOWS
    assert desk.changes == ["flow", "flow"]
    assert desk.asked("flows") == ["a"]


def test_what_fails_is_said_and_not_tried_again_before_it_changes(desk):
    desk.flow.want(True)
    desk.fail("flows")
    assert str(desk.flow.error) == "no flow"
    assert (desk.flow.flows, desk.flow.trace) == ((), None)
    desk.flow.want(True)
    assert desk.asked("flows") == ["a"]
    desk.another("b")
    assert desk.asked("flows") == ["a", "b"]
    desk.answer("flows", FLOWS)
    assert desk.flow.error is None


def test_with_the_document_goes_its_flow(desk):
    desk.flow.want(True)
    desk.flow.want_code(True)
    desk.answer("flows", FLOWS)
    desk.answer("function texts", CODE)
    desk.changes.clear()
    desk.driven.session.open_text("b", "b.frag", None)
    desk.driven.compiles("b")
    assert (desk.flow.flows, desk.flow.trace, desk.flow.code) == ((), None, {})
    assert desk.changes == ["flow"]
    desk.driven.device.answer(frame())
    desk.driven.device.answer(trace())
    desk.answer("function texts", CODE)
    desk.answer("flows", FLOWS)
    assert desk.asked("flows") == ["a", "b"]
    assert desk.asked("function texts") == ["a", "b"]


def test_a_failure_goes_with_its_document_and_what_is_under_way_too(desk):
    desk.flow.want(True)
    desk.fail("flows")
    desk.driven.session.open_text("b", "b.frag", None)
    desk.driven.serve("b")
    assert desk.flow.error is None
    desk.driven.session.open_text("c", "c.frag", None)
    desk.answer("flows", FLOWS)
    assert desk.flow.flows == ()


def test_assembly_is_read_for_who_looks_and_once(desk):
    flow = desk.flow
    flow.want_code(True)
    flow.want_code(True)
    assert desk.asked("function texts") == ["a"]
    assert desk.asked("flows") == []
    desk.answer("function texts", CODE)
    assert flow.code == CODE
    assert desk.changes == ["code"]
    flow.want_code(True)
    assert desk.asked("function texts") == ["a"]


def test_assembly_that_nobody_looks_at_is_not_kept_for_the_next_program(desk):
    desk.flow.want_code(True)
    desk.answer("function texts", CODE)
    desk.flow.want_code(False)
    assert desk.flow.code == CODE
    desk.another("b")
    assert desk.flow.code == {}
    desk.flow.want_code(True)
    assert desk.asked("function texts") == ["a", "b"]


def test_assembly_that_cannot_be_read_is_empty(desk):
    desk.flow.want_code(True)
    desk.fail("function texts")
    assert desk.flow.code == {}
    assert desk.changes == ["code"]


def test_assembly_of_a_document_left_behind_is_dropped(desk):
    desk.flow.want_code(True)
    (late,) = desk.driven.text.open
    desk.driven.session.open_text("b", "b.frag", None)
    late.answer(CODE)
    desk.driven.compiles("b")
    assert desk.flow.code == {}


def test_the_graph_has_the_counts_and_the_assembly_its_heat():
    blocks = (
        BlockCount(1, "main", 10, 8, (SourceLine("", 3), SourceLine("a", 9)), {"OpFAdd": 1}),
        BlockCount(1, "main", 11, 24, (), {"OpFMul": 3}),
        BlockCount(1, "main", 12, 8, (), {"OpReturn": 1}),
    )
    trace = Trace("x", (4, 2), 1.0, 1, blocks, 1.0)
    flow = FunctionFlow(1, "main", (10, 11, 12), ((0, 1), (1, 1), (1, 2)), frozenset())
    lost = replace(flow, id=2, labels=(10, 99))
    (graph,) = graphs((flow, lost), trace, {11: (7,)})
    assert [(node.label, node.lines, node.count) for node in graph.nodes] == [
        (10, (3,), 8), (11, (7,), 24), (12, (), 8),
    ]  # fmt: skip
    assert graph.nodes[1].texts == ("line 7", "24\u00d7, 82 %")
    assert graph.edges == {(0, 1): 8, (1, 1): 16, (1, 2): 8}
    text = "%10 = OpLabel\nOpBranch %11\n%11 = OpLabel\nOpBranch %12\nOpFunctionEnd"
    lines = [(line.block, line.label, line.heat) for line in spirv_lines(text, graph)]
    assert lines == [(10, True, 2), (10, False, 0), (11, True, 5), (11, False, 0), (0, False, 0)]
