"""Converts one `key:value` or `key>value` to a node of the tree."""

import re
from datetime import datetime
from decimal import Decimal
from math import isfinite

from chorus.core.query.dates import parse_date
from chorus.core.query.keys import TIMES, closest
from chorus.core.query.lexemes import Pair, Value
from chorus.core.query.quoting import shortened
from chorus.core.query.tree import FIELDS, MEASURES, VALUES, Field, FieldName, Measure, MeasureName, Node, Or, Time
from chorus.core.query.usage_lines import parse_usage_line
from chorus.errors import QueryError

_NUMBER = re.compile(r"(\$?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([kmg]?)")
_FIELDS: dict[str, FieldName] = {name: name for name in FIELDS}
_MEASURES: dict[str, MeasureName] = {name: name for name in MEASURES}
_SCALES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def term(pair: Pair, text: str, *, now: datetime) -> Node:
    """Returns the node for the pair of the query `text`. Several values ask for any of them."""
    nodes = tuple(_of_value(pair, value, text, now) for value in pair.values)
    return nodes[0] if len(nodes) == 1 else Or(nodes)


def _of_value(pair: Pair, value: Value, text: str, now: datetime) -> Node:
    try:
        if measure := _MEASURES.get(pair.key):
            return Measure(measure, pair.sign.replace(":", "="), _number(value.text, measure))
        if pair.key in TIMES:
            return _time(pair.key, value.text, now)
        field = _FIELDS[pair.key]
        if field == "usage":
            parse_usage_line(value.text)
        return Field(field, _choice(value.text, field) if field in VALUES else value.text)
    except ValueError as error:
        raise QueryError(str(error), text, value.start, value.end) from error


def _time(key: str, text: str, now: datetime) -> Time:
    date = parse_date(text, now=now)
    if key == "on":
        return Time(date.start, date.end)
    return Time(since=date.moment) if key == "after" else Time(until=date.moment)


def _choice(text: str, key: FieldName) -> str:
    choices = VALUES[key]
    if text.lower() in choices:
        return text.lower()
    meant = closest(text, choices)
    guess = f'did you mean "{meant}"? It' if meant else "it"
    raise ValueError(f'{key} cannot be "{shortened(text)}": {guess} is one of {", ".join(choices)}')


def _number(text: str, key: str) -> float:
    found = _NUMBER.fullmatch(text.lower())
    if found is None or (found[1] and key != "cost"):
        examples = "0.50 or $5" if key == "cost" else "10, 100k or 1.5M"
        raise ValueError(f'"{shortened(text)}" is not a number: write one like {examples}')
    # Decimal, because 1.001k is 1001 and not 1000.9999999999999.
    number = float(Decimal(found[2]) * _SCALES[found[3]])
    if not isfinite(number):
        raise ValueError(f"{shortened(text)} is too large a number")
    return number
