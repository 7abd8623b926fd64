"""What the colours of heat maps promise: even steps, one order, for every eye."""

import numpy as np
import pytest

from shaderlab.app.widgets.heat_colours import COLOURS, heat_table, oklab, srgb

# Severity 1 of Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of
# color vision deficiency", 2009; on linear sRGB.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "none": np.eye(3),
}
STEP = 16


def seen(deficiency: str) -> np.ndarray:
    """The table as an eye sees it, in OKLab."""
    rgb = heat_table() / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = (linear @ np.array(DEFICIENCIES[deficiency]).T).clip(0, 1)
    return oklab(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def steps(lab: np.ndarray) -> np.ndarray:
    return np.linalg.norm(lab[STEP:] - lab[:-STEP], axis=1)


def test_equal_steps_of_cost_look_equal():
    distances = steps(oklab(heat_table() / 255))
    assert distances.max() / distances.min() < 1.1


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_every_eye_sees_one_order_and_every_step(deficiency):
    lab = seen(deficiency)
    assert np.diff(lab[::4, 0]).min() > 0  # hotter is lighter
    assert steps(lab).min() > 0.025  # about what two patches beside each other need
    assert lab[-1, 0] - lab[0, 0] > 0.7


def test_the_table_fills_a_byte_with_zero_left_over():
    assert heat_table().shape == (COLOURS, 3)
    assert COLOURS == 255
    assert len(np.unique(heat_table(), axis=0)) == COLOURS
    with pytest.raises(ValueError, match="read-only"):
        heat_table()[0] = 0


def test_oklab_and_back():
    colours = np.random.default_rng(1).random((100, 3))
    assert srgb(oklab(colours)) == pytest.approx(colours, abs=1e-4)
    assert oklab(np.ones(3)) == pytest.approx([1, 0, 0], abs=1e-3)
