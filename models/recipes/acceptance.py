"""Say which figures of the five papers come out: "Acceptance figures of the papers" in REPORT.

    python -m models.recipes.acceptance [--out models]

Puts the section anew into `models/REPORT.md`, from committed results alone: what benchmarks kept in
`models/acceptance.json` (`--keep models`), `models/pairs.json`, and the names of the tests that
hold exact figures.
"""

from __future__ import annotations

import re
from pathlib import Path

from models.laboratory import report
from models.laboratory.acceptance import Absent, ByTest, Figures, Goal, PairFigures, Row
from models.recipes import shared

TITLE = "## Acceptance figures of the papers"
_SCALING = "2026-11-23-issas-scaling-and-stages-what-came-out-and-what-was-left-out"
_KERNELS = "2026-11-24-compute-shaders-without-a-run-and-on-another-processor"
_CALMER = "2026-11-24-sizes-passes-and-sweeps-on-a-calmer-machine-512-bits-on-mesa-25"
_SWEEPS = "2026-11-23-sweeps-over-a-constant"
_REUSED = ("mandelbulb", "julia", "gradient")


def _log(entry: str) -> str:
    return f"[entry](LOG.md#{entry})"


def _tests(file: str, *names: str) -> ByTest:
    return ByTest(tuple(f"{file}::test_{name}" for name in names))


def _reuse(ending: str) -> Figures:
    goals = (Goal(f"{name}, {ending}", name, most=1.3, is_share=False) for name in _REUSED)
    return Figures("reuse", tuple(goals))


def _of_kernels(device: str) -> tuple[Row, ...]:
    kept = f"compute kernels, {device}"
    return (
        Row(
            f"twelve kernels on {device}, each by a fit to the other eleven on the same machine",
            Figures(kept, (
                Goal("mean", "mean of kernels", most=0.4611),
                Goal("median", "median of kernels", most=0.43),
                Goal("lowest rank", "lowest Spearman over sizes", least=0.95, is_share=False),
                Goal("lowest rank, fixed launch", "of fixed launches", least=0.95, is_share=False),
            ), (
                Goal("least ratio", "measured over predicted from", is_share=False),
                Goal("largest ratio", "to", is_share=False),
                Goal("shipped mean", "mean by the shipped prices"),
            )),
            "the shipped prices are of another processor, where they were fitted",
        ),
        Row(
            f"the same without a run, where scalars end the loops, on {device}",
            Figures(kept, (Goal("static mean", "mean of kernels", most=0.4611),), (
                Goal("static kernels", "kernels", is_share=False),
                Goal("static, every kernel", "mean of all twelve"),
            )),
            "LLMPerf's list has eight such kernels, ours seven: the others' loops end by buffers",
        ),
    )  # fmt: skip


def _of_size(device: str) -> Row:
    return Row(
        f"1448x1086 by the line through smaller sizes, {device}",
        Figures(
            f"size scaling, {device}",
            (Goal("median", most=0.05), Goal("worst", most=0.15)),
            (Goal("shaders", is_share=False),),
        ),
        "all of the examples; `mandelbulb` alone does more work per pixel there, by 9 %",
    )


PAPERS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("ShaderPerFormer", (
        Row("filter cascade (Table 1), distributions of time and CV (Fig. 6)", _tests(
            "unit/samples/test_statistics.py",
            "every_row_falls_into_a_decade_and_no_step_gains_rows",
            "what_a_campaign_left_out_is_counted_by_kind_of_reason",
        )),
        Row("static shares by class within 2 points of Fig. 5a", _tests(
            "unit/samples/test_statistics.py",
            "static_shares_of_a_committed_set_are_the_published_ones_within_two_points",
        )),
        Row("token percentiles (Fig. 5b) of the corpus", Figures("token percentiles", (
            Goal("75 %", near=3384, is_share=False),
            Goal("85 %", near=4727, is_share=False),
            Goal("95 %", near=8356, is_share=False),
            Goal("within", "up to 4,096", near=0.813),
        ), (
            Goal("shaders", is_share=False),
            Goal("estimate, median", "the estimate of `dataset stats` off by"),
        ))),
        Row("the curve over iTime at 1 is the forecast itself", _tests(
            "integration/cli/test_sweep.py", "at_itime_1_it_is_the_forecast",
        )),
        Row(
            "Shadertoys with inputs that import, render, count and predict in every pass",
            Figures(
                "Shadertoys with inputs",
                (Goal("share", least=0.95),),
                (Goal("shaders", is_share=False),),
            ),
        ),
        Row(
            "sum of passes against one submission of all, llvmpipe",
            Figures("sum of passes, llvmpipe", (
                Goal("median", "median off by", most=0.05), Goal("worst", "most", most=0.05),
            ), (Goal("within", "within 5 %"), Goal("frames", is_share=False))),
            "on a machine with a load of 30 the worst was off by 31 %",
        ),
        Row(
            "the paper's network pre-trained and trained at full size",
            Absent("0.392 / 0.192 / 0.51 / 0.937"),
            "needs a GPU for hours, and none was available; the smaller recipe is in the tables "
            "above (`shaderperformer`)",
        ),
    )),
    ("HALWPE", (
        Row("of 99 runs the seven outliers beyond 7 MAD are left out (Fig. 8)", _tests(
            "unit/gpu/test_trials.py",
            "of_99_runs_the_seven_that_were_disturbed_are_left_out",
        )),
        Row("OLS, NNLS, stepwise, p-values as statsmodels and scipy; n <= p is refused", _tests(
            "unit/training/test_pair_models.py",
            "ordinary_least_squares_are_statsmodels",
            "p_values_are_statsmodels",
            "non_negative_least_squares_are_scipys_with_the_intercept_held",
            "stepwise_selection_is_the_greedy_search_written_out",
            "too_few_shaders_are_refused_with_the_reason",
        )),
        Row("llvmpipe -> RTX 3060, ten folds, weights 1/t", PairFigures("llvmpipe -> rtx3060", (
            Goal("linear fold error", "best linear, mean", most=0.32),
            Goal("linear median", "median", most=0.17),
            Goal("RF fold error", "forest, mean", most=0.29),
            Goal("RF median", "median", most=0.13),
        ), (
            Goal("one factor median", "one factor, median"),
            Goal("running median median", "running median, median"),
        ))),
        Row("RX 6600 XT -> RTX 3060, ten folds", PairFigures("rx6600xt -> rtx3060", (
            Goal("running median median", "running median, median", most=0.12),
        ), (Goal("RF median", "forest, median"), Goal("linear median", "linear, median")))),
        Row("best only what beats both competitors; ranking of features by p-value", _tests(
            "unit/training/test_pairs.py",
            "a_regression_is_best_only_where_it_beats_the_competitors",
            "the_committed_pair_ranks_its_features_as_published_in_the_report",
        )),
        Row("this machine as a witness: at most 8 % flagged, three times as far off", _tests(
            "unit/models/test_acceptance.py",
            "shaders_that_the_machine_at_hand_disagrees_on_are_the_bad_ones",
        )),
        Row(
            "counters of the device as features",
            Absent(),
            "llvmpipe and SwiftShader have no VK_KHR_performance_query, and published samples "
            "hold no counter, so there is nothing to fit them to",
        ),
    )),
    ("Issa", (
        Row("C.5.1: Amdahl through two points, the printed line, three points, SE, range", _tests(
            "unit/prediction/test_scaling.py",
            "amdahl_through_the_papers_two_points",
            "the_papers_printed_line_is_that_of_the_score",
            "three_points_by_the_papers_own_law",
            "a_projection_is_outside_the_points",
        )),
        _of_size("llvmpipe"),
        _of_size("swiftshader"),
        Row(
            "1,200 draws: A and B to 1e-9, Eq. 20 under 1 % with noise, weight 0.6 at 900 MHz; "
            "shares of a frame sum to one with what is unexplained",
            _tests(
                "unit/studies/test_pipeline.py",
                "a_trend_without_noise_is_recovered",
                "with_noise_the_sum_is_off_by_less_than_one_percent",
                "a_clock_between_two_is_interpolated",
                "the_shares_of_a_frame_sum_to_one_with_what_is_unexplained",
            ),
        ),
        Row("*sits on the pass* (RTX 3060): accuracy at least 93 %", _tests(
            "unit/models/test_acceptance.py", "which_shaders_sit_on_the_pass_is_foreseen",
        )),
        Row(
            "Eq. 23, another GPU's stages by the ratios of Table 2",
            Absent(),
            f"left out: its units do not work out; {_log(_SCALING)}",
        ),
        Row(
            "one shader at two known clocks",
            Absent(),
            "no sample was taken at two known clocks; the law is tested on the paper's points and "
            "made-up ones",
        ),
    )),
    ("PerfVec", (
        Row("vectors of blocks sum to the program's, two shaders' to their pass's, lines' to the "
            "time", _tests(
            "unit/prediction/models/test_additivity.py",
            "the_vectors_of_blocks_sum_to_the_program_s",
            "two_shaders_in_one_pass_take_the_sum_of_their_work",
            "the_shares_of_rows_and_of_kinds_sum_to_one",
        )),
        Row("all nine targets, times as long as one, the program counted once for all",
            _reuse("counted")),
        Row(
            "the same, the forecast alone",
            _reuse("new"),
            "a further target costs its band, sentences and lines, not its product of work and "
            f"prices; {_log('2026-11-23-what-adds-up-and-what-a-further-target-costs')}",
        ),
        Row("section V-B: [learning curves and ablations](#learning-curves-and-ablations)",
            ByTest(("unit/models/test_learning_curves.py",))),
        Row(
            "the shipped law at 32 units and 2,589 MHz; units doubled halve the work; the weakest "
            "product within a budget; ranks to 3.59 %",
            _tests(
                "unit/studies/test_explore.py",
                "at_the_products_own_units_and_clock_it_is_the_shipped_law",
                "twice_the_units_halve_the_work_and_leave_the_floor",
                "the_weakest_product_is_the_slowest_within_the_budget",
                "perfvecs_table_of_ranks",
            ),
        ),
        Row(
            "RX 6600 XT at boost clock, samples within 0.85 to 1.30 of the law",
            Figures("RX 6600 XT at boost clock", (
                Goal("held out within", "of shaders held out", least=0.9),
            ), (
                Goal("held out samples", "n", is_share=False),
                Goal("fitted within", "of those it was fitted to"),
                Goal("fitted samples", "n", is_share=False),
            )),
            "14 of 17 (95 % interval 57 to 96 %): all validation shaders but one, 75 of 1,298 "
            "others; samples hold no clock, so taken at boost are those nearer to that law "
            f"than to the one from idle, where the two are 1.8 times apart; {_log(_CALMER)}",
        ),
        Row(
            "llvmpipe's widths: 256 bits from 128 and 512",
            Absent("median within 1.5 times full training"),
            "512 bits crash Mesa 22.3 (LLVM 15) and 25.0 (LLVM 19), 64 bits 22.3: two widths leave "
            "nothing to leave out; "
            f"{_log('2026-11-23-llvmpipes-vector-widths-as-microarchitectures')}",
        ),
        Row("sweep: the cheapest value and the knee, llvmpipe", Figures("sweeps, llvmpipe", (
            Goal("most steps", "off by steps", most=1, is_share=False),
        ), (Goal("curves", is_share=False),))),
        Row(
            "sweep: the curve itself, llvmpipe",
            Figures("sweeps, llvmpipe", (
                Goal("median", "median error", most=0.15),
                Goal("lowest rank", "lowest Spearman", least=0.95, is_share=False),
            ), (
                Goal("anchored", "through one timed value"),
                Goal("ranks reached", "curves with that rank", is_share=False),
            )),
            "missed by one factor per shader, which no property of a curve shows but one timed "
            "value does, and by one curve that is flat from 16 steps on; prices are of another "
            f"processor; {_log(_SWEEPS)}",
        ),
    )),
    ("LLMPerf", (
        Row("sizes of buffers: summation 4 g, convolution 2 g + 1 and index -1, initZero "
            "min(N, g)", _tests(
            "integration/gpu/compute/test_buffer_sizes.py",
            "summation_reads_four_for_each_invocation",
            "convolution_reads_two_for_each_and_one",
            "an_index_before_the_first_element_is_named_with_its_line",
            "init_writes_at_most_n",
            "an_index_out_of_a_buffer_follows_no_line_and_stays_inside",
        )),
        Row("counts and results of twelve kernels are the oracle's, on both drivers", _tests(
            "integration/gpu/compute/test_kernels.py", "counts_and_results_are_the_oracle_s",
        )),
        Row("loops that end by scalars are counted without a run, within 2 %", _tests(
            "unit/spirv/analysis/test_launch_flow.py",
            "kernels_whose_loops_end_by_scalars_are_counted_without_a_run",
        )),
        *_of_kernels("llvmpipe"),
        *_of_kernels("swiftshader"),
        Row(
            "a campaign balanced over octaves of time",
            _tests(
                "unit/campaigns/test_balance.py",
                "octaves_under_half_of_the_mean_inside_the_fences_are_thin",
                "what_is_lacking_fills_each_octave_to_the_same",
            ),
            "no such campaign's samples are committed",
        ),
        Row(
            "any GPU; SpMV at 1 % beyond 64 entries a row; sizes by the square root of two",
            Absent(),
            "no GPU was available; a buffer ends at 256 MiB; "
            f"{_log(_KERNELS)}",
        ),
    )),
)  # fmt: skip
"""By paper: its figures, in the order of its sections."""


def section(models: Path) -> str:
    """For the report, as Markdown."""
    parts = [
        TITLE,
        "Written by `"
        + shared.command("acceptance")
        + "`. *Test*: the suite holds the figure, by the test that is named (below `tests/`). All "
        "others were measured by the command beside them, with `--keep models`, and are shown with "
        "the machine's load; times are processor time. What is missed or not measured has its "
        "reason.",
    ]
    head = ("figure", "wanted", "found", "outcome", "by, and why")
    for paper, rows in PAPERS:
        body = [row.cells(models) for row in rows]
        parts += [f"### {paper}", report.table(head, body)]
    return "\n\n".join(parts)


def placed(text: str, found: str) -> str:
    """A report with the section in the place of the one it has, else at its end."""
    before, at, after = text.partition(f"{TITLE}\n")
    if not at:
        return f"{text.rstrip()}\n\n{found}\n"
    following = re.search(r"^## ", after, re.MULTILINE)
    rest = "\n" + after[following.start() :] if following else ""
    return f"{before}{found}\n{rest}"


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    path = options.out / "REPORT.md"
    path.write_text(placed(path.read_text("utf-8"), section(options.out)), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
