"""`pairs`: how well one device's times follow from another's."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import note
from shaderlab.cli.texts import pairing as texts
from shaderlab.errors import WrongUse
from shaderlab.system import extras

if TYPE_CHECKING:
    from shaderlab.training.pairs import Pair


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="llvmpipe", metavar="H",
        help="whose times are known: a device with committed samples, or a data set or store",
    )  # fmt: skip
    parser.add_argument(
        "--target",
        default="rtx3060",
        metavar="T",
        help="whose times are predicted, named the same way",
    )
    parser.add_argument(
        "--weights", choices=("1/t", "raw"), default="1/t",
        help="weights of squared errors: 1/t, or raw (none), as HALWPE published",
    )  # fmt: skip
    parser.add_argument("--method", action="append", metavar="M", help="only this method")
    parser.add_argument(
        "--nested", action="store_true",
        help="also judge how the regression is chosen, by inner folds (takes minutes)",
    )  # fmt: skip
    parser.add_argument("--rank", action="store_true", help="rank the features of OLS/F/BIC")


def pairs(arguments: argparse.Namespace) -> Answer:
    for package in ("sklearn", "pyarrow"):
        if find_spec(package) is None:
            raise WrongUse(f"{package} is missing").with_remedy(extras.remedy("training"))
    from shaderlab.training import pair_data
    from shaderlab.training.pair_models import METHODS, Weights
    from shaderlab.training.pairs import forecasts, ranking, study

    for method in arguments.method or ():
        if method not in METHODS:
            raise WrongUse(f"no method {method[:80]!r}; there are {', '.join(METHODS)}")
    weights = Weights(arguments.weights)
    pair = _pair(arguments.host, arguments.target)
    found = study(pair, weights, only=arguments.method, nested=arguments.nested, report=note)
    ranked = ranking(pair, weights) if arguments.rank else None
    chosen = (
        found.best if any(line.method in METHODS and line.result for line in found.lines) else ""
    )
    times = forecasts(pair, chosen, weights) if chosen and _is_file(arguments.host) else {}
    return Answer(pair_data.data(found, ranked, times), texts.text(found, ranked, times))


def _pair(host: str, target: str) -> Pair:
    from shaderlab.training import pairs

    files = [_is_file(host), _is_file(target)]
    if all(files):
        return pairs.of_files(Path(host), Path(target))
    if any(files):
        raise WrongUse("name two data sets or two devices, not one of each")
    return pairs.committed(host, target)


def _is_file(name: str) -> bool:
    return Path(name).exists() or Path(name).suffix != ""


COMMANDS = (
    Command(
        "pairs",
        "Show how well one device's times can be predicted from another's.",
        pairs,
        add_options=_options,
    ),
)
