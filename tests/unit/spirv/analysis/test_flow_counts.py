from shaderlab.spirv.analysis.flow_counts import FunctionFlow, edge_counts


def flow(edges, blocks, leaking=()):
    return FunctionFlow(1, "f", tuple(range(10, 10 + blocks)), tuple(edges), frozenset(leaking))


def test_the_counts_of_edges_follow_from_those_of_blocks():
    # 0 -> loop header 1 -> body 2 -> 1; 1 -> 3 -> (4 | 5) -> 6
    edges = [(0, 1), (1, 2), (2, 1), (1, 3), (3, 4), (3, 5), (4, 6), (5, 6)]
    found = edge_counts(flow(edges, 7), [10, 60, 50, 10, 3, 7, 10])
    assert found == {
        (0, 1): 10, (1, 2): 50, (2, 1): 50, (1, 3): 10, (3, 4): 3, (3, 5): 7, (4, 6): 3,
        (5, 6): 7,
    }  # fmt: skip


def test_a_call_that_does_not_come_back_hides_no_edge_it_does_not_have_to():
    edges = [(0, 1), (0, 2), (1, 2)]
    assert edge_counts(flow(edges, 3), [10, 4, 9])[0, 2] == 6
    # Of 10 invocations 3 end in block 0's call: what leaves it is less.
    found = edge_counts(flow(edges, 3, leaking=[0]), [10, 4, 7])
    assert found == {(0, 1): 4, (1, 2): 4, (0, 2): 3}


def test_what_does_not_follow_is_left_out():
    edges = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4)]
    assert edge_counts(flow(edges, 5), [10, 5, 5, 5, 5]) == {(0, 1): 5, (0, 2): 5}
