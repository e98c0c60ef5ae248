"""Columns of ids: the uuids in them as the bytes that they are, which is half of what their letters take."""

import re
import struct
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from msgspec import Struct

from chorus.find.index.sqlite.likeness import Told

_UUID = re.compile("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
_GAP, _NEXT = "\x01", "\x00"
"""Stands where a uuid was taken out; stands between two texts. Texts that hold one of them are left as they are."""


class Ids(Struct, array_like=True, gc=False):
    """Texts, with what is expected or missing told as in any other column."""

    texts: list[Told]
    uuids: bytes
    """Those that were taken out of the texts, one after the other."""

    @classmethod
    def of(cls, column: Sequence[Told]) -> "Ids":
        said = [text for text in column if isinstance(text, str)]
        joined = _NEXT.join(said)
        pieces = _UUID.split(joined)
        if len(pieces) == 1 or _GAP in joined or joined.count(_NEXT) >= len(said):
            return cls(list(column), b"")
        rest = iter(_GAP.join(pieces[::2]).split(_NEXT))
        texts = [next(rest) if isinstance(text, str) else text for text in column]
        return cls(texts, bytes.fromhex("".join(pieces[1::2]).replace("-", "")))

    def column(self, some: slice) -> list[Any]:
        """Some of what `of` was given."""
        texts = self.texts[some]
        if not self.uuids:
            return texts
        between = _joined(texts).split(_GAP)
        # All in one go, by what the interpreter does itself: a page of entries has many.
        first = 16 * _joined(self.texts[: some.start]).count(_GAP)
        said = self.uuids[first : first + 16 * (len(between) - 1)].hex()
        if len(said) != 32 * (len(between) - 1):
            raise ValueError("fewer uuids than there are gaps for them")
        uuids = b" ".join(map(b"-".join, struct.iter_unpack("8s4s4s4s12s", said.encode()))).decode().split(" ")
        whole = iter("".join(chain.from_iterable(zip_longest(between, uuids, fillvalue=""))).split(_NEXT))
        return [next(whole) if isinstance(text, str) else text for text in texts]


def _joined(texts: Sequence[Told]) -> str:
    return _NEXT.join([text for text in texts if isinstance(text, str)])
