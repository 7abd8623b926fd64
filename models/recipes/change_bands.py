"""Calibrate how far forecasts of changes may be off.

    python -m models.recipes.change_bands [--out models]

On edits of shaders of the validation split, for software devices, and on published shaders that
share most of their lines, forecast by models fitted without them, for the others.  Pairs of the
test split are not looked at: printed is how often the bands hold there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from models.recipes import shared
from shaderlab.prediction.catalogue import change_bands
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.training import changes
from shaderlab.training.changes import EDITS, FORKS_LEFT_OUT, Changes
from shaderlab.training.splits import Split


def calibrated(every: Iterable[Changes]) -> list[ChangeBand]:
    return [changes.band_of(each) for each in every]


def shown(band: ChangeBand, test: Changes | None) -> str:
    text = (
        f"{band.target}, {band.method}: {band.base:.3f} + {band.slope:g} of the change, n {band.n},"
        f" holds {band.coverage:.0%} of the other half"
    )
    if test is None:
        return text
    return f"{text}, {changes.held(test, band):.0%} of the test split's {len(test.measured)}"


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    edits = [e for e in changes.all_changes(Split.VALIDATION) if e.source == EDITS]
    left_out = [e for e in changes.all_changes() if e.source == FORKS_LEFT_OUT]
    bands = calibrated([*edits, *left_out])
    test = {(e.target, e.method): e for e in changes.all_changes(Split.TEST)}
    for band in bands:
        print(shown(band, test.get((band.target, band.method))))
    origin = "datasets/changes: edits of the validation split; published shaders that share lines"
    text = change_bands.to_json(bands, origin, shared.command("change_bands"))
    (options.out / change_bands.FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
