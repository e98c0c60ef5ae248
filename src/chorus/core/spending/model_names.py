"""Converts the model names of clients and clouds to the one form that the price table uses.

    claude-opus-4-1-20250805                                  claude-opus-4-1
    us.anthropic.claude-opus-4-1-20250805-v1:0                claude-opus-4-1, regional
    arn:aws:bedrock:eu-west-1:1:inference-profile/global.anthropic.claude-opus-4-6-v1     claude-opus-4-6
    claude-opus-4@20250514, claude-opus-4-0, claude-opus-4[1m]                            claude-opus-4

A name is never guessed from the beginning of another: `claude-opus-5-6` is not `claude-opus-5`.
"""

import re
from typing import NamedTuple

_BEDROCK = re.compile(r"(?:([a-z][a-z-]{0,9})\.)?anthropic\.")
_SUFFIXES = re.compile(
    r"(?:"
    r"\[[a-z0-9]{1,8}\]"  # the context window that a client asks for: [1m]
    r"|(?<=\d)-v\d{1,2}(?::\d{1,2}(?::\w{1,8})?)?"  # Bedrock's version of the model's packaging: -v1:0
    r"|[-@]20\d{6}"  # the day of the snapshot
    r"|-20\d\d-\d\d-\d\d"
    r"|[-@](?:latest|default)"
    r"|:(?:beta|thinking)"
    r")+$"
)
_LONGEST = 200
"""Maximum length. Names are untrusted text: a longer one matches no model."""


class Name(NamedTuple):
    """The name of a model as in the price table."""

    model: str
    is_regional: bool = False
    """Whether a cloud serves it from one region, which may have another price. Only Bedrock's names say this."""


def name_of(text: str) -> Name:
    """Returns the name in `text`. It accepts any text."""
    name = text[:_LONGEST].strip().lower().rpartition("/")[2]
    is_regional = False
    if cloud := _BEDROCK.match(name):
        is_regional = cloud[1] != "global"
        name = name[cloud.end() :]
    name = _SUFFIXES.sub("", name).replace(".", "-")
    # The first model of a generation is called both `4` and `4-0`.
    return Name(name.removesuffix("-0") if name.count("-") > 1 else name, is_regional)
