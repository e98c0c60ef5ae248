"""The longest rising part of a list of pairs."""

from bisect import bisect_left


def rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the longest part of the pairs, which rise on the left, that rises on the right as well."""
    ends: list[int] = []
    """The lowest right position in which a chain of this length can end."""
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, right) in enumerate(pairs):
        at = bisect_left(ends, right)
        before.append(last[at - 1] if at else None)
        if at == len(ends):
            ends.append(right)
            last.append(number)
        else:
            ends[at], last[at] = right, number
    chain: list[tuple[int, int]] = []
    number = last[-1] if last else None
    while number is not None:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
