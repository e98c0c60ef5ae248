"""The usage page: which conversations a query means, and what they used and did."""

from datetime import date, datetime

from chorus.base import config
from chorus.base.prices import PRICES_FILE, load_prices
from chorus.base.zone import local_zone
from chorus.core.query.describe import describe
from chorus.core.query.parse import parse
from chorus.core.query.tree import Or, Query, Sequence
from chorus.core.query.usage_lines import Grouping
from chorus.core.spending.line_figures import rounded
from chorus.core.spending.named_days import days_named
from chorus.errors import ChorusError
from chorus.find.index.port import Index
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search.annotations import load_annotations, narrowed
from chorus.find.search.query_forms import conversations
from chorus.find.search.titles import title_of
from chorus.find.usage.csv_text import lines_csv, tools_csv
from chorus.find.usage.figures import GroupLine, ToolLine, TurnLine
from chorus.find.usage.overview import overview
from chorus.find.usage.report import Selection, UsageReports
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import Refused
from chorus.show.server.services.queries import Deadline, read

_ALL = 1 << 40
"""A limit above any number of conversations."""


class UsageService:
    """Answers about one query and some days."""

    def __init__(self, index: Index, vault: FileVault, text: str, since: str, until: str) -> None:
        """`since` and `until` are days as people name them; "" for no limit. Raises `Refused` for other texts."""
        zone = local_zone()
        now = datetime.now(zone)
        self._index, self._vault = index, vault
        self._query = read(text)
        self._deadline = Deadline()
        self._annotations = load_annotations(vault)
        self._selection = Selection(
            names=self._names(),
            since=_days(since, now)[0] if since else None,
            until=_days(until, now)[1] if until else None,
            zone=zone,
        )
        prices = load_prices(config.home_of(vault.root) / PRICES_FILE, may_be_missing=True)
        self._reports = UsageReports(index, prices, self._selection)

    def shown(self, by: wire.UsageGrouping) -> wire.UsageShown:
        """Returns the whole page."""
        names = config.workspace_names(self._vault.root)
        found = overview(self._reports, self._index, self._vault, names, (by, "hour"), self._title_of)
        return wire.UsageShown(
            by=by,
            since=_day(self._selection.since),
            until=_day(self._selection.until),
            is_partial=self._deadline.has_passed,
            lines=tuple(map(self._line, found.tables[by].lines)),
            total=self._line(found.total),
            conversations=found.conversations,
            prompts=found.done.prompts,
            tools=tuple(map(self._tool, found.done.tools)),
            waiting=tuple(map(self._tool, found.done.waiting)),
            turns=self._tool(found.done.turns),
            hours=tuple(map(self._line, found.tables["hour"].lines)),
            dearest=tuple(map(self._line, found.dearest)),
            dearest_turns=tuple(map(self._turn, found.turns)),
            limits=tuple(
                wire.UsageLimit(
                    type=limit.type,
                    status=limit.status,
                    utilization=limit.utilization,
                    resets_at_ms=None if limit.resets_at_s is None else limit.resets_at_s * 1000,
                    reported_at=limit.reported_at,
                )
                for limit in found.limits
            ),
            unpriced=tuple(sorted(found.total.unpriced)),
            prices_dated=found.prices["dated"],
        )

    def csv(self, by: Grouping) -> bytes:
        """Returns one table as comma-separated values."""
        if by == "tool":
            return tools_csv("tool", self._reports.done().tools).encode()
        table = self._reports.table(by)
        names = config.workspace_names(self._vault.root)
        for line in table.lines:
            if by == "workspace":
                line.label = names.of(line.key)
            elif by == "conversation":
                line.label = self._title_of(line.key)
        return lines_csv(by, table.lines).encode()

    def _title_of(self, name: str) -> str:
        return title_of(self._index, name, self._annotations)

    def _names(self) -> list[str] | None:
        """Returns the conversations that answer the query, as `chorus cost` finds them; None for all."""
        if self._query.root is None:
            return None
        asked = with_commits(self._query, self._index, self._vault)
        rows, _ = conversations(self._index, self._vault, asked, limit=_ALL, is_late=self._deadline)
        return [row.name for row in rows]

    def _with_query(self, term: str) -> str:
        """Returns a query for the conversations of a line among those of the query."""
        root = self._query.root
        if not term or root is None:
            return term
        if isinstance(root, Sequence):
            only = parse(term, now=datetime.now(self._selection.zone)).root
            return describe(narrowed(self._query, only)) if only and not isinstance(only, Sequence) else term
        asked = describe(Query(root))
        return f"({asked}) {term}" if isinstance(root, Or) else f"{asked} {term}"

    def _line(self, line: GroupLine) -> wire.UsageLine:
        return wire.UsageLine(
            key=line.key,
            label=line.label or line.key,
            query=self._with_query(line.term),
            input=line.input,
            output=line.output,
            cache_creation=line.cache_creation,
            cache_read=line.cache_read,
            cache_hit_rate=line.cache_hit_rate,
            messages=line.messages + line.turns,
            cost_usd=rounded(line.cost_usd),
            is_cost_lower_bound=line.is_cost_lower_bound,
            is_output_lower_bound=line.lower_bounds > 0,
            reported_usd=rounded(line.reported_usd),
        )

    def _tool(self, line: ToolLine) -> wire.UsageTool:
        return wire.UsageTool(
            name=line.name,
            query=self._with_query(line.term),
            calls=line.calls,
            errors=line.errors,
            error_rate=line.error_rate,
            refused=line.refused,
            without_result=line.without_result,
            p50_ms=line.p50_ms,
            p95_ms=line.p95_ms,
            total_ms=line.total_ms if line.timed else None,
        )

    def _turn(self, turn: TurnLine) -> wire.UsageTurn:
        return wire.UsageTurn(
            conversation=turn.conversation,
            title=self._title_of(turn.conversation),
            started_at=turn.started_at,
            item=turn.item,
            prompt=turn.prompt,
            cost_usd=rounded(turn.line.cost_usd) or 0.0,
            is_cost_lower_bound=turn.line.is_cost_lower_bound,
        )


def _days(text: str, now: datetime) -> tuple[date, date]:
    try:
        return days_named(text, now=now)
    except ChorusError as error:
        raise Refused(400, "bad_request", str(error)) from error


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
