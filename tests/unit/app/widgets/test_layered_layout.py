from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.widgets.layered_layout import layered


@st.composite
def graphs(draw):
    nodes = draw(st.integers(1, 14))
    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    return nodes, tuple(draw(st.sets(pair, max_size=30)))


def test_a_diamond_with_a_loop():
    plan = layered(4, [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0)])
    assert [layer for _, layer in plan.places] == [0, 1, 1, 2]
    assert plan.backward == {(3, 0)}
    assert plan.places[1][0] != plan.places[2][0]


def test_a_long_edge_bends_in_every_layer_it_passes():
    plan = layered(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert [layer for _, layer in plan.bends[0, 3]] == [1, 2]
    places = {plan.places[1], plan.places[2], *plan.bends[0, 3]}
    assert len(places) == 4, "beside the nodes, not through them"


@given(graphs())
def test_edges_lead_down_unless_they_are_marked_and_nothing_overlaps(graph):
    nodes, edges = graph
    plan = layered(nodes, edges)
    for start, end in edges:
        down = plan.places[end][1] - plan.places[start][1]
        assert (down <= 0) == ((start, end) in plan.backward)
    taken = [*plan.places, *(bend for bends in plan.bends.values() for bend in bends)]
    rows: dict[int, list[float]] = {}
    for x, layer in taken:
        rows.setdefault(layer, []).append(x)
    for row in rows.values():
        row.sort()
        assert all(b - a >= 1 - 1e-6 for a, b in pairwise(row))
