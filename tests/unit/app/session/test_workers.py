"""How a session's workers are made, and what they have in common."""

from dataclasses import replace

from shaderlab.app.session import workers
from shaderlab.app.session.workers import Crew, RealWorkers
from shaderlab.workers.supervisor.limits import Limits

from .fakes import LLVMPIPE, OTHER, FakeCompiler, FakeDevice, FakeWorkers

GPU = replace(LLVMPIPE, slug="rtx3060", kind="discrete")


def test_what_is_not_waited_for_yields_and_only_the_previews_device_has_a_spare(monkeypatch):
    made: list[tuple[str, dict]] = []
    for name in ("CompilerWorker", "DeviceWorker", "PredictorWorker", "CompiledWorkers"):
        monkeypatch.setattr(workers, name, lambda *_, _name=name, **how: made.append((_name, how)))
    real = RealWorkers()
    for make in (real.compiler, real.predictor, real.background_compiler):
        make()
    for make in (real.device, real.background_device):
        make(GPU)
    real.compiled(())
    assert made == [
        ("CompilerWorker", {}),
        ("PredictorWorker", {}),
        ("CompilerWorker", {"low_priority": True}),
        ("DeviceWorker", {"spare": True}),
        ("DeviceWorker", {"low_priority": True}),
        ("CompiledWorkers", {}),
    ]


def test_llvmpipe_has_a_quick_worker_in_place_of_a_spare(monkeypatch):
    made: list[dict] = []
    monkeypatch.setattr(workers, "DeviceWorker", lambda _info, **how: made.append(how) or "made")
    real = RealWorkers()
    assert real.quick_device(GPU) is None
    assert real.quick_device(OTHER) is None
    assert real.quick_device(LLVMPIPE) == "made"
    real.device(LLVMPIPE)
    real.device(OTHER)
    assert made == [
        {"quick": True},
        {"spare": False},
        {"spare": True},
    ]


def test_a_worker_that_left_is_neither_limited_nor_counted_nor_closed():
    first, later = Limits(frame=3.0), Limits(frame=4.0)
    crew = Crew(FakeWorkers(), first)
    stays, leaves = crew.add(FakeCompiler(), "compiler"), crew.add(FakeDevice(), "device")
    assert stays.limits is leaves.limits is first
    leaves.replacements = 2
    crew.remove(leaves)
    crew.remove(leaves)
    crew.set_limits(later)
    crew.close()
    assert (stays.limits, leaves.limits) == (later, first)
    assert crew.replacements == {"compiler": 0}
    assert (stays.closed, leaves.closed) == (True, False)


def test_replacements_of_workers_in_one_role_add_up():
    crew = Crew(FakeWorkers())
    for count in (2, 3):
        crew.add(FakeCompiler(), "compiled").replacements = count
    assert crew.replacements == {"compiled": 5}
