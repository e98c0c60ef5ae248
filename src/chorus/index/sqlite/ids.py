"""Columns of ids: the uuids in them as the bytes that they are, which is half of what their letters take."""

import re
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from msgspec import Struct

from chorus.index.sqlite.likeness import Told

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

    def column(self) -> list[Any]:
        """What `of` was given."""
        if not self.uuids:
            return self.texts
        said = self.uuids.hex()
        uuids = [
            f"{said[n : n + 8]}-{said[n + 8 : n + 12]}-{said[n + 12 : n + 16]}-{said[n + 16 : n + 20]}-"
            f"{said[n + 20 : n + 32]}"
            for n in range(0, len(said), 32)
        ]
        between = _NEXT.join([text for text in self.texts if isinstance(text, str)]).split(_GAP)
        if len(between) != len(uuids) + 1:
            raise ValueError("not as many uuids as there are gaps for them")
        filled = "".join(chain.from_iterable(zip_longest(between, uuids, fillvalue="")))
        whole = iter(filled.split(_NEXT))
        return [next(whole) if isinstance(text, str) else text for text in self.texts]
