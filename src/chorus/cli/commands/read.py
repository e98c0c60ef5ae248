"""`chorus read`: print every record of a source on one line, with its JSON as captured."""

import base64
import sys
from collections.abc import Iterable
from typing import BinaryIO

import click

from chorus.cli.output import FAILED_SOURCE, complain, encoded
from chorus.cli.pager import paged
from chorus.cli.vault_ids import damage, named, open_vault, vault_option
from chorus.core.records.record import Piece, Record, Unread
from chorus.errors import SourceUnreadable
from chorus.keep.archive.reading import KeptReading
from chorus.keep.sources.files import STDIN
from chorus.keep.sources.reading import Reading
from chorus.lab.census.sources import streams_of


@click.command()
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="No effect: the output is always JSON lines.")
@vault_option
@click.pass_context
@paged
def read(ctx: click.Context, sources: tuple[str, ...], *, as_json: bool, vault: str | None) -> None:
    """Print every record of each SOURCE as one JSON object per line, including what cannot be read.

    SOURCE is a file, a folder (every *.jsonl below it), - for standard input, or a conversation in the vault: its id,
    the number of a hit of the last search, or a query that only this conversation answers.
    """
    out = sys.stdout.buffer
    has_failed = False
    kept_in = open_vault(vault)
    chosen = named(sources, kept_in)
    names = streams_of(chosen.files, complain)
    for key in (key for kept in chosen.kept for key in kept.content):
        reading = KeptReading(kept_in, key)
        lines = Lines(reading.name)
        for batch in reading.batches():
            out.write(b"".join(lines.of(batch)))
        if reading.damaged:
            has_failed = True
            out.flush()
            complain(damage(reading))
    for name in names:
        try:
            print_records(name, out)
        except SourceUnreadable as error:
            has_failed = True
            out.flush()
            complain(str(error))
    if has_failed:
        ctx.exit(FAILED_SOURCE)


def print_records(name: str, out: BinaryIO) -> None:
    """Print each record of one stream as soon as it is complete."""
    lines = Lines(name)
    for batch in Reading(name).batches():
        out.write(b"".join(lines.of(batch)))
        if name == STDIN:
            out.flush()


class Lines:
    """Builds the output lines for the records of one stream. Only the envelope is encoded, and it is cached."""

    def __init__(self, name: str) -> None:
        self._begin = b'{"source":' + encoded(name) + b',"offset":%d,"dialect":'
        self._middles: dict[tuple[str, str, str], bytes] = {}

    def of(self, pieces: Iterable[Piece]) -> Iterable[bytes]:
        for piece in pieces:
            if isinstance(piece, Unread):
                yield self._unread(piece)
            elif isinstance(piece, Record):
                yield self._record(piece)

    def _record(self, record: Record) -> bytes:
        text = record.json
        if b"\r" in text or b"\n" in text:
            # JSON strings cannot contain these characters unescaped, so here they are between values.
            text = text.replace(b"\r", b" ").replace(b"\n", b" ")
        end = b',"reassembled":true}\n' if record.reassembled else b"}\n"
        return b"".join((self._begin % record.offset, self._middle(record), b',"record":', text, end))

    def _unread(self, record: Unread) -> bytes:
        try:
            content = b',"raw":' + encoded(record.raw.decode())
        except UnicodeDecodeError:
            content = b',"raw_base64":"' + base64.b64encode(record.raw) + b'"'
        reason = b',"reason":' + encoded(record.reason)
        return b"".join((self._begin % record.offset, self._middle(record), reason, content, b"}\n"))

    def _middle(self, record: Record) -> bytes:
        key = (record.dialect, record.type, record.subtype)
        known = self._middles.get(key)
        if known is None:
            dialect, kind, subtype = (encoded(part) if part else b"null" for part in key)
            known = dialect + b',"type":' + kind + b',"subtype":' + subtype
            if len(self._middles) < 1000:
                self._middles[key] = known
        return known
