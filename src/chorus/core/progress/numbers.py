"""Which sentences may be about progress: those with one number of another.

The patterns that read such sentences take longer to compile than most conversations take to read. The ones of this
module are short, and every statement contains a match of one of them.
"""

import re

_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
VALUES = {word: n for n, word in enumerate(_WORDS)} | {word: n + 1 for n, word in enumerate(ORDINALS)}
NUMBER = r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})"
WORD_OR_NUMBER = rf"(\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,9}}|{'|'.join(_WORDS[1:])})"
OF = r"(?:\s?/\s?|\sof\s(?:the\s|these\s|those\s|all\s|my\s)?|\sout\sof\s(?:the\s)?)"
"""What stands between two numbers in English."""
OF_IN_BRACKETS = r"\s\((?:out\s)?of\s"
"""The same in “step 3 (of 7)”."""
_PART = rf"(?:\d|{'|'.join(_WORDS[1:])})"
_ENGLISH = re.compile(
    rf"%|\d\sper\s?cent|{_PART}\s?/\s?{_PART}|[\s(]of\s(?:the\s|these\s|those\s|all\s|my\s)?{_PART}",
    re.IGNORECASE,
)
OF_OTHERS = {
    "de": ("von|aus", "den|der|die"), "fr": ("sur|de", "les"), "es": ("de", "l[oa]s"), "pt": ("de", "[oa]s"),
    "it": ("di|su", "i|le|gli"), "nl": ("van|uit", "de"), "pl": ("z|ze", ""), "ru": ("из", ""), "sv": ("av", "de"),
}  # fmt: skip
"""Other languages: what stands between two numbers besides a slash, and the article that may follow it."""
_OTHERS = re.compile(
    rf"\d(?:\s\w{{2,20}}\s)?\s{{0,2}}(?:/|\(?(?:{'|'.join(of for of, _ in OF_OTHERS.values())}))\s{{0,2}}"
    rf"(?:(?:{'|'.join(article for _, article in OF_OTHERS.values() if article)})\s)?\d",
    re.IGNORECASE,
)
_EASTERN = re.compile("[぀-ヿ㐀-鿿가-힯]")
_TWO_NUMBERS = re.compile(r"\d\D{1,40}\d")


def may_be_english(sentence: str) -> bool:
    """Returns whether an English sentence may say how much of something is done."""
    return _ENGLISH.search(sentence) is not None


def may_be_other(sentence: str) -> bool:
    """Returns whether a sentence in another language may say how much of something is done."""
    is_eastern = not sentence.isascii() and _EASTERN.search(sentence) is not None
    return (_TWO_NUMBERS if is_eastern else _OTHERS).search(sentence) is not None
