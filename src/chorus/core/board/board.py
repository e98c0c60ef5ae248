"""The board: the tiles in their columns, in order, and how many there are. Two boards can be compared, so that only
what changed is sent."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from chorus.core.board.columns import Column
from chorus.core.board.tiles import Tile

MAX_TILES = 50
"""How many tiles a column shows; the others are only counted. All that need a person are shown."""
_COLUMNS = tuple(Column)


class ColumnCount(Struct, frozen=True):
    """How many conversations a column has, whether they are shown or not."""

    column: Column
    count: int


class WorkspaceCount(Struct, frozen=True):
    """How many conversations of a workspace need a person, work, and are on the board in total."""

    workspace: str
    name: str
    needs_you: int
    working: int
    shown: int


def in_order(tiles: Iterable[Tile]) -> list[Tile]:
    """Returns tiles column by column. Those that wait longest come first, then those with alerts, then the newest."""
    by_name = sorted(tiles, key=lambda tile: tile.name)
    by_name.sort(key=lambda tile: tile.last_at or "", reverse=True)
    return sorted(by_name, key=_rank)


def _rank(tile: Tile) -> tuple[int, str, int]:
    waits_since = (tile.reasons[0].since or "") if tile.reasons else ""
    return _COLUMNS.index(tile.column), waits_since, 0 if tile.alerts else 1


def needing_you(tiles: Iterable[Tile]) -> list[Tile]:
    """Returns the tiles of the first column, in the order in which a person is led through them."""
    return [tile for tile in in_order(tiles) if tile.column is Column.NEEDS_YOU]


def chosen(columns: Mapping[str, tuple[Column, str | None]]) -> list[str]:
    """Returns the names of the conversations that the board shows, given each one's column and last time."""
    newest = sorted(columns, key=lambda name: (columns[name][1] or "", name), reverse=True)
    seen = Counter[Column]()
    found: list[str] = []
    for name in newest:
        column = columns[name][0]
        seen[column] += 1
        if column is Column.NEEDS_YOU or seen[column] <= MAX_TILES:
            found.append(name)
    return found


def counts_of(columns: Iterable[Column]) -> tuple[ColumnCount, ...]:
    """Returns the count of each column, also of empty ones."""
    counted = Counter(columns)
    return tuple(ColumnCount(column, counted[column]) for column in _COLUMNS)


def workspaces_of(tiles: Iterable[Tile]) -> tuple[WorkspaceCount, ...]:
    """Returns the counts of each workspace, those that need a person first."""
    found: dict[str, list[Tile]] = {}
    for tile in tiles:
        found.setdefault(tile.workspace, []).append(tile)
    counted = [
        WorkspaceCount(
            workspace=workspace,
            name=mine[0].workspace_name,
            needs_you=sum(tile.column is Column.NEEDS_YOU for tile in mine),
            working=sum(tile.column is Column.WORKING for tile in mine),
            shown=len(mine),
        )
        for workspace, mine in found.items()
    ]
    return tuple(sorted(counted, key=lambda each: (-each.needs_you, -each.working, each.name, each.workspace)))


def difference(before: Mapping[str, Tile], after: Mapping[str, Tile]) -> tuple[tuple[Tile, ...], tuple[str, ...]]:
    """Returns the tiles that are new or different, and the names of those that are gone."""
    put = tuple(tile for name, tile in after.items() if before.get(name) != tile)
    return put, tuple(name for name in before if name not in after)
