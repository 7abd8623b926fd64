"""Flow graphs: the blocks of a function, the edges between them; which function calls which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import EntryPoint, Function, Module
from shaderlab.spirv.trace import BlockId

_LEAVES = {Op.Return, Op.ReturnValue, Op.Kill, Op.TerminateInvocation, Op.Unreachable}


class FlowGraph:
    """Blocks of one function by their number in it, and the edges between them.

    A block that a terminator names twice (both arms of a branch, several cases of a switch) is one
    edge: which of the arms was taken follows from no block's count.  Raises InvalidModule on
    construction if a branch leads to something that is no block of the function.
    """

    def __init__(self, function: Function):
        self.function = function
        number = {block.label: index for index, block in enumerate(function.blocks)}
        self.successors: list[tuple[int, ...]] = []
        """By block: distinct blocks its terminator may lead to."""
        for block in function.blocks:
            targets = branch_targets(function.module, block.last)
            try:
                self.successors.append(tuple(dict.fromkeys(number[id] for id in targets)))
            except KeyError as missing:
                raise InvalidModule(
                    f"block %{block.label} of {function.name} branches to %{missing.args[0]}, "
                    "which is not a block of that function"
                ) from None

    def __len__(self) -> int:
        return len(self.successors)

    @cached_property
    def predecessors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.successors]
        for block, targets in enumerate(self.successors):
            for target in targets:
                found[target].append(block)
        return found

    @cached_property
    def postorder(self) -> list[int]:
        """Blocks reachable from the entry block, each after everything first reached through it."""
        return _postorder(0, self.successors) if self.successors else []

    @cached_property
    def immediate_dominators(self) -> list[int]:
        """By block: its immediate dominator; the entry block is its own, -1 where unreachable."""
        return _dominators(self.postorder, self.predecessors)

    @cached_property
    def deciders(self) -> list[frozenset[int]]:
        """By block: those whose terminator decides whether it runs (its control dependences).

        Of a loop that nothing leaves, one block is taken for a way out of the function.  Ferrante,
        Ottenstein and Warren, "The Program Dependence Graph and Its Use in Optimization" (1987).
        """
        end = len(self)
        back: list[list[int]] = [[] for _ in range(end + 1)]
        ahead: list[list[int]] = [[] for _ in range(end + 1)]
        for block in self.postorder:
            for after in self.successors[block] or (end,):
                ahead[block].append(after)
                back[after].append(block)
        leads_out: set[int] = set()
        _postorder(end, back, leads_out)
        for block in self.postorder:
            if block not in leads_out:
                _postorder(block, back, leads_out)
                ahead[block].append(end)
                back[end].append(block)
        behind = _dominators(_postorder(end, back), ahead)
        found: list[set[int]] = [set() for _ in range(end)]
        for block in self.postorder:
            for after in ahead[block]:
                while after != behind[block] and after != end:
                    found[after].add(block)
                    after = behind[after]
        return [frozenset(each) for each in found]

    def dominates(self, above: int, below: int) -> bool:
        """Whether every path from the entry to block `below` goes through block `above`."""
        dominators = self.immediate_dominators
        if dominators[below] < 0:
            return False
        while below != above and below != 0:
            below = dominators[below]
        return below == above

    @cached_property
    def cyclic(self) -> list[bool]:
        """By block: whether control can come back to it within one call of the function."""
        edges = dict(enumerate(self.successors))
        cyclic = [False] * len(self)
        for component in strongly_connected(range(len(self)), edges):
            for block in component:
                cyclic[block] = len(component) > 1 or block in edges[block]
        return cyclic

    @cached_property
    def merges(self) -> dict[int, int]:
        """Structured control flow (§2.11): header block -> its merge block."""
        return {header: merge for header, merge, _ in self._merge_instructions}

    @cached_property
    def continues(self) -> dict[int, int]:
        """Loop header block -> its continue target."""
        return {header: target for header, _, target in self._merge_instructions if target >= 0}

    @cached_property
    def _merge_instructions(self) -> list[tuple[int, int, int]]:
        module = self.function.module
        number = {block.label: index for index, block in enumerate(self.function.blocks)}
        found = []
        for header, block in enumerate(self.function.blocks):
            before = block.last - 1
            opcode = int(module.opcodes[before])
            if before > block.first and opcode in (Op.LoopMerge, Op.SelectionMerge):
                targets = module.instruction_words(before)[1 : 3 if opcode == Op.LoopMerge else 2]
                for id in targets:
                    if id not in number:
                        raise InvalidModule(
                            f"block %{block.label} of {self.function.name} merges at %{id}, "
                            "which is not a block of that function"
                        )
                merge, *continued = (number[id] for id in targets)
                found.append((header, merge, *(continued or [-1])))
        return found

    @cached_property
    def loops(self) -> dict[int, frozenset[int]]:
        """Natural loops: header block -> its blocks, the header included."""
        found: dict[int, set[int]] = {}
        for block in self.postorder:
            for header in self.successors[block]:
                if not self.dominates(header, block):
                    continue
                members = found.setdefault(header, {header})
                pending = [block]
                while pending:
                    member = pending.pop()
                    if member not in members and self.immediate_dominators[member] >= 0:
                        members.add(member)
                        pending.extend(self.predecessors[member])
        return {header: frozenset(members) for header, members in found.items()}

    @cached_property
    def loops_around(self) -> list[tuple[int, ...]]:
        """By block: headers of the natural loops it is in, outermost first."""
        found: list[list[int]] = [[] for _ in self.successors]
        for header, members in sorted(self.loops.items(), key=lambda loop: -len(loop[1])):
            for block in members:
                found[block].append(header)
        return [tuple(headers) for headers in found]

    def ways_in(self, header: int) -> list[int]:
        """Blocks outside of a natural loop that may lead to its header."""
        members = self.loops[header]
        return [block for block in self.predecessors[header] if block not in members]


def _postorder(
    root: int, edges: Sequence[Sequence[int]], seen: set[int] | None = None
) -> list[int]:
    """What can be reached from the root, each after everything first reached through it.

    What was `seen` is passed by; what is found is added to it.
    """
    order: list[int] = []
    seen = set() if seen is None else seen
    seen.add(root)
    stack = [(root, iter(edges[root]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(edges[target])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


def _dominators(postorder: Sequence[int], before: Sequence[Sequence[int]]) -> list[int]:
    """By node: its immediate dominator; the root, last in postorder, is its own, -1 if unreachable.

    `before`: the nodes with an edge to each.  Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
    Algorithm" (2001).
    """
    dominators = [-1] * len(before)
    if not postorder:
        return dominators
    rank = {node: position for position, node in enumerate(postorder)}
    root = postorder[-1]
    dominators[root] = root
    changed = True
    while changed:
        changed = False
        for node in reversed(postorder[:-1]):
            chosen = -1
            for other in before[node]:
                if dominators[other] < 0:
                    continue
                if chosen < 0:
                    chosen = other
                    continue
                while chosen != other:
                    while rank[chosen] < rank[other]:
                        chosen = dominators[chosen]
                    while rank[other] < rank[chosen]:
                        other = dominators[other]
            if dominators[node] != chosen:
                dominators[node] = chosen
                changed = True
    return dominators


def strongly_connected(nodes: Iterable[int], edges: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Strongly connected components of a graph (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_path: list[int] = []
    open_nodes: set[int] = set()
    components: list[list[int]] = []
    for root in nodes:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        on_path.append(root)
        open_nodes.add(root)
        stack = [(root, iter(edges[root]))]
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    on_path.append(target)
                    open_nodes.add(target)
                    stack.append((target, iter(edges[target])))
                    break
                if target in open_nodes:
                    low[node] = min(low[node], index[target])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(on_path.pop())
                    open_nodes.difference_update(component)
                    components.append(component)
    return components


def branch_targets(module: Module, index: int) -> Sequence[int]:
    """Label ids the terminator at `index` may lead to, in its order, repetitions kept."""
    opcode = int(module.opcodes[index])
    if opcode in _LEAVES:
        return ()
    words = module.instruction_words(index)
    if opcode == Op.Branch:
        return words[1:2]
    if opcode == Op.BranchConditional:
        return words[2:4]
    if opcode == Op.Switch:
        width = _literal_words(module, words[1])
        cases = words[3:]
        if len(cases) % (width + 1):
            raise InvalidModule(f"OpSwitch at word {module.starts[index]} has half a case")
        return (words[2], *cases[width :: width + 1])
    return ()


def _literal_words(module: Module, selector: int) -> int:
    """Words of each case literal of a switch over `selector`."""
    type = module.definition(module.definition(selector).result_type)
    return 2 if type.opcode == Op.TypeInt and type.words[2] > 32 else 1


def call_order(module: Module, function_id: int) -> list[Function]:
    """The function and all it calls, directly or not, callees before their callers.

    Raises InvalidModule for recursion (§2.16.1 forbids it) and for a call of no function.
    """
    order: list[Function] = []
    state: dict[int, bool] = {}
    calls = calls_by_function(module)

    def function(id: int) -> Function:
        found = module.function_by_id.get(id)
        if found is None:
            raise InvalidModule(f"%{id} is called but is not a function")
        if not found.blocks:
            raise InvalidModule(f"function {found.name} is called but has no body")
        return found

    stack = [(function_id, iter(calls.get(function_id, ())))]
    state[function_id] = False
    function(function_id)
    while stack:
        caller, callees = stack[-1]
        for callee, _ in callees:
            if callee not in state:
                function(callee)
                state[callee] = False
                stack.append((callee, iter(calls.get(callee, ()))))
                break
            if not state[callee]:
                raise InvalidModule(f"function {function(callee).name} calls itself")
        else:
            state[caller] = True
            order.append(function(caller))
            stack.pop()
    return order


def reachable_functions(module: Module, entry: EntryPoint) -> list[Function]:
    """The entry point's function and all it calls, in the order of the module."""
    return sorted(call_order(module, entry.id), key=lambda function: function.first)


def reachable_blocks(module: Module, entry: EntryPoint) -> list[BlockId]:
    """The blocks of those functions, in the order of the module: those a trace counts."""
    functions = reachable_functions(module, entry)
    return [BlockId(each.id, block.label) for each in functions for block in each.blocks]


def callers_first(module: Module) -> list[Function]:
    """All functions, callers before those they call; what calls itself in any order."""
    number = {function.id: place for place, function in enumerate(module.functions)}
    calls = calls_by_function(module)
    callees = [
        [number[callee] for callee, _ in calls.get(function.id, ()) if callee in number]
        for function in module.functions
    ]
    seen: set[int] = set()
    order: list[int] = []
    for place in range(len(module.functions)):
        if place not in seen:
            order += _postorder(place, callees, seen)
    return [module.functions[place] for place in reversed(order)]


def callers_of(module: Module, functions: Iterable[int]) -> set[int]:
    """Ids of the functions that call one of `functions`, directly or not, and those themselves."""
    callers: dict[int, list[int]] = {}
    for caller, calls in calls_by_function(module).items():
        for callee, _ in calls:
            callers.setdefault(callee, []).append(caller)
    found = set(functions)
    pending = list(found)
    while pending:
        for caller in callers.get(pending.pop(), ()):
            if caller not in found:
                found.add(caller)
                pending.append(caller)
    return found


def calls_by_function(module: Module) -> dict[int, list[tuple[int, int]]]:
    """By function id: (callee id, index of the OpFunctionCall) in the order of the module."""
    indices = np.array(module.indices(Op.FunctionCall), np.int64)
    found: dict[int, list[tuple[int, int]]] = {}
    if not len(indices):
        return found
    callees = module.words[module.starts[indices] + 3].tolist()
    firsts = np.array([function.first for function in module.functions])
    owners = np.searchsorted(firsts, indices, side="right") - 1
    for owner, callee, index in zip(owners.tolist(), callees, indices.tolist(), strict=True):
        if owner < 0:
            raise InvalidModule(f"OpFunctionCall at word {module.starts[index]} is in no function")
        found.setdefault(module.functions[owner].id, []).append((callee, index))
    return found
