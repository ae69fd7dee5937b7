"""Places in arrays that are never counted from the end: numba asks at every access whether one is, up to a sixth of
a sweep's time.

It does not ask about unsigned numbers. So a pass of the compiler makes every place that is computed one. A negative
constant, as in ``array[-1]`` and ``table[k, -1]``, still counts from the end.
"""

from numba.core import ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions, get_definition, guard, mk_unique_var
from numba.core.untyped_passes import InlineInlinables
from numba.extending import intrinsic


class Compiler(CompilerBase):
    """numba's own, and the pass."""

    def define_pipelines(self):
        """Return the passes, ours after the one that puts other functions' bodies in place of calls."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_FromTheStart, InlineInlinables)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _FromTheStart(FunctionPass):
    _name = "polytopic_from_the_start"

    def __init__(self):
        super().__init__()

    def run_pass(self, state):
        found = False
        for block in state.func_ir.blocks.values():
            body = []
            for statement in block.body:
                access, array = _access(statement)
                if access is not None and not _is_from_the_end(access.index, state.func_ir):
                    body += _unsigned(access, array, block.scope)
                    found = True
                body.append(statement)
            block.body = body
        if found:
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return found


def _access(statement):
    """Return what of a statement has the index of an array, and the array; None twice where there is none."""
    if isinstance(statement, ir.SetItem):
        return statement, statement.target
    value = getattr(statement, "value", None)
    if isinstance(value, ir.Expr) and value.op == "getitem":
        return value, value.value
    return None, None


def _is_from_the_end(index, func_ir):
    """Say whether one of the places is a negative constant."""
    made = guard(get_definition, func_ir, index)
    places = made.items if isinstance(made, ir.Expr) and made.op == "build_tuple" else [index]
    found = (guard(get_definition, func_ir, place) for place in places)
    return any(isinstance(one, ir.Const) and isinstance(one.value, int) and one.value < 0 for one in found)


def _unsigned(access, array, scope):
    """Return the statements that set a variable to the index, unsigned, which takes its place."""
    function, index = (ir.Var(scope, mk_unique_var(name), access.loc) for name in ("from_the_start", "index"))
    call = ir.Expr.call(function, [array, access.index], (), access.loc)
    access.index = index
    return [
        ir.Assign(ir.Global("from_the_start", _from_the_start, access.loc), function, access.loc),
        ir.Assign(call, index, access.loc),
    ]


@intrinsic
def _from_the_start(typing, array, index):
    """Make the index of an array unsigned, or those in a tuple; leave slices, and what is not of an array."""
    kind = _unsigned_type(index) if isinstance(array, types.Array) else index

    def generate(context, builder, signature, arguments):
        return context.cast(builder, arguments[1], index, kind)

    return kind(array, index), generate


def _unsigned_type(index):
    if isinstance(index, types.BaseTuple):
        return types.Tuple([_unsigned_type(one) for one in index])
    return types.uintp if isinstance(index, types.Integer) and index.signed else index
