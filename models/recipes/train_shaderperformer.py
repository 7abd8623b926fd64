"""Train ShaderPerFormer on the sequences of `models.recipes.token_data`.  Needs torch.

    python -m models.recipes.train_shaderperformer --data FILE --run FOLDER
        --recipe tiny --target rtx3060 --target rx6600xt --target llvmpipe
    python -m models.recipes.train_shaderperformer --data FILE --run FOLDER
        --recipe paper --target rtx3060 --device cuda --precision bf16 --micro-batch 8
    python -m models.recipes.train_shaderperformer --data FILE --run FOLDER
        --recipe paper --target rtx3060 --device cuda --ray HOST:6379 --workers 4 --storage s3://…

The second is the paper's configuration on one large GPU; the third the same on four of a cluster,
which share each step's shaders and sum their gradients.  A run that was interrupted, or is given
more `--epochs`, goes on where it stood.  Trained on the training split, the weights kept are the
best on validation; the test split is not looked at.  With several targets one encoder serves all
and the head has an output for each; the paper trains a network per GPU.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch

from models.laboratory import token_data
from models.laboratory.peers import Peers
from models.laboratory.shaderperformer import RECIPES, Run, data
from models.recipes import shared
from shaderlab.training.splits import Split

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True, help="folder that keeps the run")
    parser.add_argument("--recipe", choices=RECIPES, default="tiny")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--micro-batch", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--dropout", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument(
        "--without-trace", action="store_true", help="show 1 for every count: the ablation"
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32")
    parser.add_argument("--threads", type=int, default=1)
    shared.offer_cluster(parser)
    parser.add_argument("--workers", type=int, default=1, help="with --ray: that train together")
    parser.add_argument(
        "--storage", default="", help="with --ray: a folder all nodes share, or s3://…"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    names = ("epochs", "micro_batch", "learning_rate", "dropout", "seed")
    changes = {name: getattr(options, name) for name in names}
    recipe = replace(RECIPES[options.recipe], **{k: v for k, v in changes.items() if v is not None})
    if options.without_trace:
        recipe = replace(recipe, configuration=replace(recipe.configuration, counts="ones"))
    shaders = token_data.read(options.data)
    targets = tuple(options.target)
    train, validation = (
        data(shaders, split, targets, recipe.configuration)
        for split in (Split.TRAIN, Split.VALIDATION)
    )
    print(f"{len(train)} shaders to train on, {len(validation)} to validate with", flush=True)

    def run(folder: Path, peers: Peers) -> Run:
        return Run(
            folder, recipe, targets, train, validation, options.device,
            PRECISIONS[options.precision], name=options.recipe, peers=peers,
        )  # fmt: skip

    with shared.engine(parser, options, gpus=options.device != "cpu") as engine:
        engine.train(run, options.run, lambda line: print(json.dumps(line), flush=True))


if __name__ == "__main__":
    main()
