"""Exports for the web application: what one would contain, and the file itself."""

from chorus.base import config
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.findings import Finding
from chorus.errors import ChorusError
from chorus.keep.archive.listing import named
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.exports.exporting import Exported, export
from chorus.show.exports.made_with import made_with
from chorus.show.exports.own_names import own_hosts, own_users
from chorus.show.exports.selection import Selection
from chorus.show.server.errors import Refused, not_found

LANE = "export"
"""Exports take long, so one runs at a time and never on the last reader."""


def exported(vault: FileVault, name: str, asked: wire.ExportAsked) -> Exported:
    """Returns the file that was asked for; raises `Refused` if it cannot be made."""
    kept = next(iter(named(vault, [name])), None)
    if kept is None:
        raise not_found("There is no such conversation; it may have been forgotten.")
    choices = Choices(
        is_on=asked.is_redacted,
        allowed=frozenset(asked.allowed),
        replaced=asked.replaced,
        added=asked.added,
        users=own_users(),
        hosts=own_hosts(),
    )
    selection = Selection(
        since=asked.since,
        until=asked.until,
        thread=asked.thread,
        has_tool_output=asked.has_tool_output,
        has_thinking=asked.has_thinking,
        has_images=asked.has_images,
    )
    try:
        return export(
            vault,
            kept,
            asked.format,
            choices,
            selection,
            home=config.home_of(vault.root),
            made_with=made_with(),
        )
    except ChorusError as error:
        raise Refused(409, "not_done", str(error)) from error


def preview_of(made: Exported) -> wire.ExportPreview:
    """Returns what a person checks before the file leaves the machine."""
    return wire.ExportPreview(
        file_name=made.file_name,
        size_bytes=len(made.data),
        records=made.records,
        left_out=made.left_out,
        findings=tuple(map(_shown, made.findings)),
        missing=tuple(made.missing),
        beginning=made.beginning,
    )


def _shown(finding: Finding) -> wire.FindingShown:
    return wire.FindingShown(
        placeholder=finding.placeholder,
        rule=finding.rule.id,
        title=finding.rule.title,
        kind=finding.rule.kind,
        preview=finding.preview,
        count=finding.count,
        is_allowed=finding.is_allowed,
        replacement=finding.replacement,
        row=next((spot.id for spot in finding.spots if spot.id), None),
    )
