"""The route for two conversations next to each other."""

from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from chorus.show import wire
from chorus.show.server.context import Context

_Name = Annotated[str, QueryParameter(max_length=1_024)]
_Start = Annotated[int, QueryParameter(ge=0, le=1 << 31)]
_Limit = Annotated[int, QueryParameter(ge=1, le=500)]


@get("/api/compare")
async def compare(server: Context, a: _Name, b: _Name, start: _Start = 0, limit: _Limit = 500) -> wire.ComparisonAnswer:
    """Returns two conversations aligned step by step: their figures, where they part, and a page of the pairs."""
    return await server.readers.run(
        lambda index: server.comparisons.answer(index, server.summaries, a, b, start=start, limit=limit),
        lane=f"{a} {b}",
    )
