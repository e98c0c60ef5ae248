"""Values whose own beginning says that they are keys, of services that no other rule knows.

Most services give their keys a name, a word such as `sk`, `pat` or `live`, and a random value, as in `name_pat_…`.
"""

from chorus.core.redaction.rule import Rule

MARKED = "marked-key"
_ALWAYS = ("sk", "pat", "uat", "oat", "apk", "ak", "wkey")
_MARKS = (*_ALWAYS, "api", "apikey", "secret", "token", "tok", "live")
"""The last ones only with `_`: images of containers are called `shop-api-5f1c…`."""
_BEFORE, _AFTER = r"(?:[A-Za-z][A-Za-z0-9]{0,15}[_-]){0,3}", r"(?:[a-z0-9]{1,12}[_-]){0,2}"

RULES = (
    Rule(
        MARKED,
        "Value that begins as a key does",
        (*(f"{mark}_" for mark in _MARKS), *(f"{mark}-" for mark in _ALWAYS)),
        rf"(?:^|[^\w+/.@%$-])({_BEFORE}(?:(?:{'|'.join(_MARKS)})_|(?:{'|'.join(_ALWAYS)})-){_AFTER}"
        r"[\w-]{20,300}(?:\.[\w-]{20,200})?={0,2})",
        "keys of many services: a prefix by which they are recognised, then a random value",
        min_entropy=3.5,
        is_fixed=False,
    ),
)
