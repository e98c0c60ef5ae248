"""Generates text from a fixed vocabulary; the same seed generates the same text."""

import random

_VOCABULARY = (
    "amber anchor arrow bay beacon bell birch bridge brook candle canvas cedar chart cliff cloud cobble copper coral "
    "crane current delta dune ember fern field fjord flint forest garden glass granite grove harbor hazel heather "
    "hollow island ivory juniper kettle lantern larch ledger linen maple marble meadow mill mist moss needle oak olive "
    "orchard paper pebble pine plum pond quarry quartz rain raven reed ridge river rope rowan saddle sage sail shale "
    "shore silver slate spruce stone stream summit thistle thread tide timber tower valley velvet violet walnut water "
    "willow winter yarrow — naïve café übung 漢字 привет 🙂"
)
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_POOL_WORDS = 60_000
_POOL_SIGNS = 1 << 18


class Words:
    """Draws text of a given length from pools that are built once, so that a draw costs only a copy."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        prose = chance.choices(_VOCABULARY.split(), k=_POOL_WORDS)
        self._prose = "".join(f"{word}{'.' if n % 11 == 10 else ''} " for n, word in enumerate(prose))
        names = enumerate(prose[: _POOL_WORDS // 4])
        self._code = "".join(f'{"    " * (n % 4)}{word} = {word}_{n % 97}("{word}")\n' for n, word in names)
        self._signs = "".join(chance.choices(_SIGNS, k=_POOL_SIGNS))

    def length(self, median: int, *, spread: float = 1.0, most: int = 200_000) -> int:
        """Returns a random length with a log-normal distribution around the median: many short, few very long."""
        return min(most, max(1, int(median * self._chance.lognormvariate(0.0, spread))))

    def prose(self, length: int) -> str:
        return self._draw(self._prose, length)

    def code(self, length: int) -> str:
        return self._draw(self._code, length)

    def signs(self, length: int) -> str:
        """Returns Base64 digits, for images and signatures."""
        return self._draw(self._signs, length - length % 4)

    def _draw(self, pool: str, length: int) -> str:
        if length >= len(pool):
            return (pool * (length // len(pool) + 1))[:length]
        start = int(self._chance.random() * (len(pool) - length))
        return pool[start : start + length]
