"""The chosen target's name."""

from shaderlab.app.session.chosen_forecast import ChosenForecast

from .fakes import forecast


def test_it_has_the_name_of_its_target():
    chosen = ChosenForecast(forecast(), {"rtx3060": "RTX 3060", "other": "Other"})
    assert chosen.name == "RTX 3060"
    assert chosen.frame is None
