"""What a data set is like: how many rows passed which test, what they do, how long they take.

As ShaderPerFormer describes its data (Table 1, Figs. 5 and 6), so that a set of one's own can be
held against the published one before it is contributed or calibrated with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store, is_store
from shaderlab.spirv import tokens

FEW = 20
"""Fewer samples than this in a decade of time say little about it."""
SLOWEST_S = 10.0
"""Table 1 leaves out what takes longer."""
MOST_TOKENS = 4096
"""Table 1 leaves out what is longer."""
PERCENTILES = (5, 25, 50, 75, 85, 95)
_CLASSES = {
    "Memory": (
        "OpVariable OpLoad OpStore OpAccessChain OpInBoundsAccessChain OpPtrAccessChain "
        "OpCopyMemory OpArrayLength OpImageTexelPointer"
    ),
    "Arithmetic": (
        "OpSNegate OpFNegate OpIAdd OpFAdd OpISub OpFSub OpIMul OpFMul OpUDiv OpSDiv OpFDiv OpUMod "
        "OpSRem OpSMod OpFRem OpFMod OpVectorTimesScalar OpMatrixTimesScalar OpVectorTimesMatrix "
        "OpMatrixTimesVector OpMatrixTimesMatrix OpOuterProduct OpDot OpIAddCarry OpISubBorrow "
        "OpUMulExtended OpSMulExtended"
    ),
    "Control-Flow": (
        "OpPhi OpLoopMerge OpSelectionMerge OpLabel OpBranch OpBranchConditional OpSwitch OpKill "
        "OpReturn OpReturnValue OpUnreachable OpTerminateInvocation"
    ),
    "Composite": (
        "OpVectorExtractDynamic OpVectorInsertDynamic OpVectorShuffle OpCompositeConstruct "
        "OpCompositeExtract OpCompositeInsert OpCopyObject OpTranspose"
    ),
    "Extension": "OpExtInst",
}
"""Of opcodes, as the SPIR-V specification sorts them (3.42); all else that runs is `Others`."""
CLASSES = (*_CLASSES, "Others")
_CLASS_OF = {name: each for each, names in _CLASSES.items() for name in names.split()}
_DECLARED = (
    "OpType", "OpConstant", "OpSpecConstant", "OpDecorat", "OpMember", "OpName", "OpSource",
    "OpLine",
    "OpNoLine", "OpString", "OpExtension", "OpExtInstImport", "OpCapability", "OpMemoryModel",
    "OpEntryPoint", "OpExecutionMode", "OpModuleProcessed", "OpUndef", "OpGroupDecorate",
    "OpFunctionEnd", "OpFunctionParameter",
)  # fmt: skip
"""How opcodes begin that declare and do not run."""

PUBLISHED = {
    "static_shares": {
        "Memory": 0.544, "Arithmetic": 0.158, "Control-Flow": 0.113, "Composite": 0.070,
        "Extension": 0.056, "Others": 0.060,
    },
    "tokens": {"75": 3384, "85": 4727, "95": 8356, "within": 0.813},
    "time_s": {"50": 97.1e-6, "75": 945e-6, "95": 7.30e-3},
    "ln_time": {"mean": -8.732, "deviation": 2.1225, "n": 13_868},
    "cv_median": {
        "RTX 3060": 0.0010, "RTX 4060 Laptop": 0.0011, "RX 7900 GRE": 0.0017, "UHD 630": 0.0063,
        "GTX 1660 Ti": 0.0087,
    },
}  # fmt: skip
"""ShaderPerFormer, of the RTX 3060 where nothing else is said: Figs. 5 and 6."""


@dataclass(frozen=True)
class Step:
    """Rows left after one test."""

    name: str
    rows: int


@dataclass(frozen=True)
class Spread:
    """A distribution."""

    n: int
    percentiles: Mapping[int, float]
    """By `PERCENTILES`."""

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        if not values:
            return cls(0, {})
        found = np.percentile(values, PERCENTILES)
        return cls(len(values), dict(zip(PERCENTILES, found.tolist(), strict=True)))


@dataclass(frozen=True)
class DeviceStatistics:
    """Rows of one device."""

    device: str
    steps: tuple[Step, ...]
    """Each of the rows before."""
    static_shares: Mapping[str, float]
    """Of instructions in the modules, by class; empty without any."""
    executed_shares: Mapping[str, float]
    """Of instructions that ran."""
    instructions: Spread
    """In a module, what declares left out."""
    tokens: Spread
    """Of a module, estimated: `spirv.tokens.estimated`."""
    tokens_within: float
    """Share of the modules with at most `MOST_TOKENS`."""
    time_s: Spread
    ln_mean: float
    ln_deviation: float
    decades: Mapping[int, int]
    """Rows by exponent of the time: -4 from 0.1 to 1 ms; those between are there with 0."""
    cv: Spread
    """Of the trials that were kept: standard deviation over mean."""

    @property
    def sparse(self) -> tuple[int, ...]:
        """Decades with fewer than `FEW` rows."""
        return tuple(each for each, count in self.decades.items() if count < FEW)


def statistics(samples: Iterable[Sample]) -> tuple[DeviceStatistics, ...]:
    """By device, in the order of their names.  Reads every sample once."""
    by_device: dict[str, _Gathered] = {}
    for sample in samples:
        by_device.setdefault(sample.device.name, _Gathered()).take(sample)
    return tuple(by_device[name].done(name) for name in sorted(by_device))


def reasons(path: Path) -> dict[str, int]:
    """Shaders that a campaign tried without a sample, by the kind of reason, the commonest first.

    Empty of a data set: only a store knows.  Raises InvalidDataset.
    """
    if not is_store(path):
        return {}
    with Store(path) as store:
        kinds = Counter(each.reason.partition(":")[0] for each in store.rejections())
    return dict(kinds.most_common())


def class_of(opcode: str) -> str | None:
    """Of an opcode's name; None of one that declares."""
    if opcode in _CLASS_OF:
        return _CLASS_OF[opcode]
    return None if opcode == "OpFunction" or opcode.startswith(_DECLARED) else "Others"


def shares(opcodes: Mapping[str, int]) -> dict[str, float]:
    """Of instructions by class, in the order of `CLASSES`; empty where none runs."""
    found: Counter[str] = Counter()
    for opcode, count in opcodes.items():
        each = class_of(opcode)
        if each is not None:
            found[each] += count
    total = found.total()
    return {each: found[each] / total for each in CLASSES} if total else {}


class _Gathered:
    """Sums over one device's rows."""

    def __init__(self) -> None:
        self._steps: Counter[str] = Counter()
        self._static: Counter[str] = Counter()
        self._executed: Counter[str] = Counter()
        self._sizes: list[float] = []
        self._tokens: list[float] = []
        self._times: list[float] = []
        self._cvs: list[float] = []

    def take(self, sample: Sample) -> None:
        time_s = sample.timing.time_s
        length = tokens.estimated(sample.program.opcodes)
        tests = (
            ("in the set", True),
            ("counted", sample.trace is not None),
            ("not all black, white or one colour", sample.picture in (None, "varied")),
            (f"about {MOST_TOKENS:,} tokens at most", length <= MOST_TOKENS),
            (f"at most {SLOWEST_S:g} s", time_s <= SLOWEST_S),
        )
        for name, passed in tests:
            if not passed:
                break
            self._steps[name] += 1
        self._static.update(sample.program.opcodes)
        runs = {o: n for o, n in sample.program.opcodes.items() if class_of(o) is not None}
        self._sizes.append(float(sum(runs.values())))
        self._tokens.append(length)
        if sample.trace is not None:
            self._executed.update(sample.trace.opcodes)
        self._times.append(time_s)
        kept = np.delete(sample.timing.trials_s, sample.timing.rejected)
        if len(kept) > 1 and kept.mean() > 0:
            self._cvs.append(float(kept.std(ddof=1) / kept.mean()))

    def done(self, device: str) -> DeviceStatistics:
        logarithms = np.log(self._times)
        exponents = Counter(math.floor(math.log10(each) + 1e-12) for each in self._times)
        span = range(min(exponents), max(exponents) + 1)
        return DeviceStatistics(
            device,
            tuple(Step(name, rows) for name, rows in self._steps.items()),
            shares(self._static),
            shares(self._executed),
            Spread.of(self._sizes),
            Spread.of(self._tokens),
            sum(each <= MOST_TOKENS for each in self._tokens) / len(self._tokens),
            Spread.of(self._times),
            float(logarithms.mean()),
            float(logarithms.std()),
            {each: exponents[each] for each in span},
            Spread.of(self._cvs),
        )
