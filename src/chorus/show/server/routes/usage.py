"""Routes for usage: the page, and its tables as files."""

from litestar import get
from litestar.params import FromQuery
from litestar.response import Response

from chorus.core.query.usage_lines import Grouping
from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.services.blobs import attachment
from chorus.show.server.services.usage import UsageService


@get("/api/usage")
async def usage(
    server: Context,
    q: FromQuery[str] = "",
    by: FromQuery[wire.UsageGrouping] = "day",
    since: FromQuery[str] = "",
    until: FromQuery[str] = "",
) -> wire.UsageShown:
    """Returns what the conversations that match the query used and did, from `since` to `until`, both inclusive."""
    return await server.readers.run(lambda index: UsageService(index, server.vault, q, since, until).shown(by))


@get("/api/usage/file", opt={"bytes": "text/csv"})
async def usage_file(
    server: Context,
    q: FromQuery[str] = "",
    by: FromQuery[Grouping] = "day",
    since: FromQuery[str] = "",
    until: FromQuery[str] = "",
) -> Response[bytes]:
    """Returns one table of the same report as comma-separated values."""
    data = await server.readers.run(lambda index: UsageService(index, server.vault, q, since, until).csv(by))
    return attachment(data, f"usage-by-{by}.csv")
