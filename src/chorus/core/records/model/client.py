"""What a running client provides: servers, plugins, commands."""

from msgspec import Struct


class McpServer(Struct, kw_only=True):
    name: str | None = None
    status: str | None = None
    source: str | None = None


class Plugin(Struct, kw_only=True):
    name: str | None = None
    path: str | None = None
    source: str | None = None


class Command(Struct, kw_only=True):
    """A slash command of the client."""

    name: str | None = None
    description: str | None = None
    argumentHint: str | None = None
    builtin: bool | None = None
    aliases: list[str] | None = None


class MemoryPaths(Struct, kw_only=True):
    auto: str | None = None
