"""The sample streams of the contract, and a function that reads their lines."""

from collections.abc import Callable

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault

MakeVault = Callable[[], Vault]
SEEN_AT = "2026-03-01T12:00:00.000Z"
KEY = StreamKey("work-12345678", "main", "5f0d2a34-1111-4222-8333-444455556666")
SIDE = StreamKey(KEY.workspace, KEY.agent, KEY.conversation, "agent-a1")
RECORD = b'{"type":"user","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":"h\xc3\xa9llo"}}'
SOURCES: dict[str, bytes] = {
    "records": RECORD + b"\n" + RECORD + b"\n",
    "windows line ends": RECORD + b"\r\n" + RECORD + b"\r\n",
    "no final newline": RECORD + b"\n" + RECORD,
    "not UTF-8": b'\xff\xfe{"a":1}\n{"a":"\xed\xa0\x80"}\n',
    "NUL bytes": b'\x00\x00\n{"a":"\x00"}\n\x00',
    "joined records": RECORD + RECORD + b"\n",
    "empty lines": b"\n\n\r\n\n",
    "carriage returns": b'\r\n\r\r\n{"a":1,\r"b":2}\r\n\r',
    "line separators": '{"a":"\u2028\u2029\x85"}\nplain \u2028 text\n'.encode(),
    "arrays and numbers": b'[{"a":1}]\n7\n"text"\nnull\n',
    "the envelope's own words": b'{"claudeMessage":{"a":1},"crc":1}\nand ,"claudeMessage":{}\n{"raw":"x","end":""}\n',
    "nested deeply": b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"\n",
    "numbers out of range": b'{"costUSD":1e400,"durationMs":-1e308}\n{"costUSD":"free","timestamp":7}\n',
    "a long line": b'{"a":"' + b"x" * 5_000_000 + b'"}\n' + b"y" * 5_000_000 + b"\n",
}
"""Every kind of bytes that was found in sources, and some more."""


def lines_of(vault: Vault, key: StreamKey) -> list[StoredLine]:
    """Returns every line of a stream; asserts that none is damaged."""
    lines = list(vault.lines(key))
    whole = [line for line in lines if isinstance(line, StoredLine)]
    assert len(whole) == len(lines), lines
    return whole
