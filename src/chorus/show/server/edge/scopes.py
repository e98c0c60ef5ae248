"""What a login may do: read, steer agents, or also approve requests."""

from collections.abc import Mapping
from typing import Literal, get_args

AccessScope = Literal["read", "steer", "approve"]
"""`steer` sends messages to agents, starts and stops them. `approve` still needs a signature for each decision."""
EVERY_SCOPE: frozenset[AccessScope] = frozenset(get_args(AccessScope))


def scopes_of(_request: Mapping[str, object]) -> frozenset[AccessScope]:
    """Returns what the login of an admitted request may do. Browsers of this computer may do everything."""
    return EVERY_SCOPE
