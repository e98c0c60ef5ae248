"""Stores columns of ids. UUIDs are stored as bytes, which takes half the space of their text."""

import re
import struct
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from msgspec import Struct

from chorus.find.index.sqlite.likeness import Difference

_UUID = re.compile("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
_GAP, _NEXT = "\x01", "\x00"
"""The first replaces a removed UUID, the second separates two texts. Texts that contain one of them are stored
unchanged.
"""


class Ids(Struct, array_like=True, gc=False):
    """Texts; expected or missing values are encoded as in any other column."""

    texts: list[Difference]
    uuids: bytes
    """The UUIDs that were removed from the texts, one after the other."""

    @classmethod
    def of(cls, column: Sequence[Difference]) -> "Ids":
        strings = [text for text in column if isinstance(text, str)]
        joined = _NEXT.join(strings)
        pieces = _UUID.split(joined)
        if len(pieces) == 1 or _GAP in joined or joined.count(_NEXT) >= len(strings):
            return cls(list(column), b"")
        rest = iter(_GAP.join(pieces[::2]).split(_NEXT))
        texts = [next(rest) if isinstance(text, str) else text for text in column]
        return cls(texts, bytes.fromhex("".join(pieces[1::2]).replace("-", "")))

    def column(self, some: slice) -> list[Any]:
        """Returns some of the values that `of` received."""
        texts = self.texts[some]
        if not self.uuids:
            return texts
        between = _joined(texts).split(_GAP)
        # Done in a few calls of the interpreter, because a page of entries has many ids.
        first = 16 * _joined(self.texts[: some.start]).count(_GAP)
        digits = self.uuids[first : first + 16 * (len(between) - 1)].hex()
        if len(digits) != 32 * (len(between) - 1):
            raise ValueError("fewer UUIDs than gaps for them")
        uuids = b" ".join(map(b"-".join, struct.iter_unpack("8s4s4s4s12s", digits.encode()))).decode().split(" ")
        whole = iter("".join(chain.from_iterable(zip_longest(between, uuids, fillvalue=""))).split(_NEXT))
        return [next(whole) if isinstance(text, str) else text for text in texts]


def _joined(texts: Sequence[Difference]) -> str:
    return _NEXT.join([text for text in texts if isinstance(text, str)])
