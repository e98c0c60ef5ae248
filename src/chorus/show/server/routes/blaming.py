"""The route for blame: which prompt wrote each line of a file."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from litestar import get
from litestar.params import FromPath, QueryParameter

from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.find.provenance.recorded_edits import recorded_in
from chorus.find.search.annotations import load_annotations
from chorus.find.search.titles import title_of
from chorus.keep.vault.keys import is_safe_name
from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.errors import not_found
from chorus.show.server.services import blaming
from chorus.show.transcripts.call_prompts import prompts_of

_File = Annotated[str, QueryParameter(max_length=24_576)]
_Revision = Annotated[str, QueryParameter(max_length=1_000)]


@get("/api/workspaces/{workspace:str}/blame")
async def line_blame(server: Context, workspace: FromPath[str], file: _File, rev: _Revision = "") -> wire.Blame:
    """Returns each line of a file with the edit that wrote it, in the folder as it is now or at a commit."""
    if not is_safe_name(workspace):
        raise not_found("There is no such workspace.")

    def look(index: Index | None) -> wire.Blame:
        def look_up(name: str, calls: Sequence[str]) -> tuple[str, Mapping[str, wire.OutlineMark]]:
            row = index.conversation(name) if index is not None else None
            opened = server.transcripts.of(index, name) if index is not None and row is not None else None
            if index is None or row is None or opened is None:
                return "", {}
            return title_of(index, name, load_annotations(server.vault)), prompts_of(opened, index, calls)

        recorded = recorded_in(index, server.vault, workspace) if index is not None else None
        return blaming.shown_blame(server.vault, workspace, file, rev, look_up, recorded)

    try:
        return await server.readers.run(look, lane=f"blame {workspace}")
    except IndexDamaged:
        # Snapshots need no index; only titles and prompts are missing.
        return await server.readers.in_thread(lambda: look(None))
