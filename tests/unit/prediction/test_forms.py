"""What methods are called."""

from shaderlab.prediction.forms import method_name


def test_methods_have_names_and_keep_what_qualifies_them():
    assert method_name("trees") == "boosted trees"
    assert method_name("pilr, counts estimated") == "PILR, counts estimated"
    assert method_name("of the future") == "of the future"
