"""Reads the words of a command line: quotes, escapes, expansions, comments and here-documents.

`shell.py` reads the commands around them, and is called back for the commands inside of `$(…)`.
"""

import re
from abc import ABC, abstractmethod

from chorus.core.rules.shell_words import Command, Unknown, Word, WordKind

WORD_ENDS = " \t\n;&|<>()"
MAX_DEPTH = 12
_BLANKS = " \t"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]+")
_BRACED = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")
_ARITHMETIC = re.compile(r"\(\([0-9 +*/%-]*\)\)")
_DELIMITER = re.compile(r"(?:'([A-Za-z0-9_]+)'|\"([A-Za-z0-9_]+)\"|\\?([A-Za-z0-9_]+))(?=[ \t\n;&|<>)]|$)")
_AFTER_DOLLAR = frozenset(" \n/.,%|)]")
"""After these, a dollar sign is only a dollar sign."""


class WordReader(ABC):
    """Reads words at a position of one text. `found` are the commands so far, those inside of words included."""

    def __init__(self, text: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise Unknown("it is nested too deeply")
        self.text = text
        self.at = 0
        self.found: list[Command] = []
        self.depth = depth
        self.waiting: list[tuple[str, bool, bool]] = []
        """Here-documents that begin after this line: delimiter, whether tabs are removed, whether it is quoted."""

    @abstractmethod
    def read_body(self, ends: frozenset[str], closing: str) -> str:
        """Reads the commands up to a keyword or a character, one level deeper."""

    @abstractmethod
    def inside(self, text: str) -> "WordReader":
        """Returns a reader of a part of the text, one level deeper."""

    def read_word(self) -> Word:
        """Reads one word; the commands of its substitutions are added to `found`."""
        text, start = self.text, self.at
        parts: list[str] = []
        kind: WordKind = "fixed"
        is_plain = True
        may_split = False
        has_brace = text[start] == "~"
        while self.at < len(text):
            char = text[self.at]
            if char in WORD_ENDS:
                break
            if char in "'\"\\":
                is_plain = False
                kind = self._read_quotes(char, parts, kind)
            elif char == "$":
                is_plain = False
                if self._read_dollar(in_quotes=False):
                    kind, may_split = "dynamic", True
                parts.append("$")
            elif char == "`":
                raise Unknown("backquotes")
            else:
                _check(char)
                has_brace = has_brace or char in "{}"
                if char in "*?[":
                    kind, may_split = "glob" if kind == "fixed" else kind, True
                parts.append(char)
                self.at += 1
        if text[self.at : self.at + 1] == "(":
            raise Unknown("a function, or a parenthesis in a word")
        source = text[start : self.at]
        if source in ("{}", "{", "}", "[", "[["):
            return Word(source, is_plain=True)
        if has_brace and text[self.at : self.at + 1] in ("<", ">"):
            raise Unknown("a redirection with a name")
        kind = "dynamic" if has_brace else kind
        may_split = may_split or has_brace or kind == "glob"
        return Word("".join(parts) if kind != "dynamic" else source, kind, is_plain, may_split)

    def _read_quotes(self, char: str, parts: list[str], kind: WordKind) -> WordKind:
        text = self.text
        if char == "\\":
            if self.at + 1 >= len(text):
                raise Unknown("a backslash at the end")
            if text[self.at + 1] == "\n":
                # Joined parts could be a keyword that is not recognised here.
                raise Unknown("a word that goes on in the next line")
            parts.append(text[self.at + 1])
            self.at += 2
            return kind
        if char == "'":
            end = text.find("'", self.at + 1)
            if end < 0:
                raise Unknown("a quote without its end")
            if self.waiting and "\n" in text[self.at : end]:
                raise Unknown("a here-document that does not begin on the next line")
            parts.append(text[self.at + 1 : end])
            self.at = end + 1
            return kind
        self.at += 1
        inner, is_fixed = self.read_quoted(end='"')
        parts.append(inner)
        self.at += 1
        return kind if is_fixed else "dynamic"

    def read_quoted(self, end: str) -> tuple[str, bool]:
        """Reads what is between double quotes, or a here-document if `end` is empty; returns it, and whether it is
        fixed."""
        text = self.text
        parts: list[str] = []
        is_fixed = True
        while self.at < len(text):
            char = text[self.at]
            if char == end:
                return "".join(parts), is_fixed
            if char == "\\":
                after = text[self.at + 1 : self.at + 2]
                escapes = ("$", "`", "\\", "\n", end)
                parts.append("" if after == "\n" else after if after in escapes else char + after)
                self.at += 2
            elif char == "$":
                is_fixed = not self._read_dollar(in_quotes=True) and is_fixed
                parts.append("$")
            elif char == "`":
                raise Unknown("backquotes")
            else:
                if char == "\n" and self.waiting:
                    raise Unknown("a here-document that does not begin on the next line")
                parts.append(char)
                self.at += 1
        if end:
            raise Unknown("a quote without its end")
        return "".join(parts), is_fixed

    def _read_dollar(self, *, in_quotes: bool) -> bool:
        """Reads what a dollar sign begins; returns False if it begins nothing."""
        text, after = self.text, self.at + 1
        following = text[after : after + 1]
        if following == "" or following in _AFTER_DOLLAR or (in_quotes and following == '"'):
            self.at = after
            return False
        if following == "(":
            self._read_substitution(after)
            return True
        found = _BRACED.match(text, after) or _NAME.match(text, after) or _NUMBER.match(text, after)
        if found is not None:
            self.at = found.end()
        elif following in "?$!#@*-":
            self.at = after + 1
        else:
            raise Unknown(f"`${following}`")
        behind = text[self.at : self.at + 1]
        if behind == "[":
            # Bash and zsh compute what is in it, and the value of each variable there once more.
            raise Unknown("an element of an array")
        if following == "#" and behind not in ("", '"', *WORD_ENDS):
            raise Unknown("the length of a variable")
        if behind > "\x7f" and behind.isalnum():
            raise Unknown("a variable whose name has unusual letters")
        if text.startswith("\\\n", self.at):
            raise Unknown("a variable whose name may go on in the next line")
        return True

    def _read_substitution(self, after: int) -> None:
        if self.text.startswith("((", after):
            arithmetic = _ARITHMETIC.match(self.text, after)
            if arithmetic is None:
                raise Unknown("arithmetic")
            self.at = arithmetic.end()
            return
        if self.waiting:
            raise Unknown("a here-document that does not begin on the next line")
        self.at = after + 1
        self.read_body(frozenset(), ")")
        self.at += 1

    def read_delimiter(self, *, is_indented: bool) -> None:
        delimiter = _DELIMITER.match(self.text, self.at)
        if delimiter is None:
            raise Unknown("a here-document with an unusual delimiter")
        self.at = delimiter.end()
        is_quoted = delimiter.group(3) is None or delimiter.group().startswith("\\")
        self.waiting.append((next(filter(None, delimiter.groups())), is_indented, is_quoted))

    def _read_documents(self) -> None:
        """Reads the here-documents that begin here, after the end of a line."""
        for delimiter, is_indented, is_quoted in self.waiting:
            start = self.at
            while True:
                if self.at >= len(self.text):
                    raise Unknown("a here-document without its end")
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                body_end, self.at = self.at, min(end + 1, len(self.text))
                if (line.lstrip("\t") if is_indented else line) == delimiter:
                    break
                if not is_quoted and line.endswith("\\"):
                    raise Unknown("a here-document whose lines are joined")
            if not is_quoted:
                inner = self.inside(self.text[start:body_end])
                inner.read_quoted(end="")
                self.found += inner.found
        self.waiting.clear()

    def skip_blanks(self) -> None:
        text = self.text
        while self.at < len(text):
            if text[self.at] in _BLANKS:
                self.at += 1
            elif text.startswith("\\\n", self.at):
                if self.at and text[self.at - 1] not in " \t\n":
                    # It may join two operators: `(` and `(` begin arithmetic.
                    raise Unknown("an operator that may go on in the next line")
                self.at += 2
            elif text[self.at] == "#" and (self.at == 0 or text[self.at - 1] in WORD_ENDS):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def skip_lines(self) -> None:
        """Skips blanks, comments and ends of lines; here-documents are read on the way."""
        while True:
            self.skip_blanks()
            if self.text[self.at : self.at + 1] != "\n":
                if self.at >= len(self.text) and self.waiting:
                    raise Unknown("a here-document without its end")
                return
            self.at += 1
            self._read_documents()


def _check(char: str) -> None:
    """Raises `Unknown` for a character outside of quotes that some shell may treat as a blank or not show."""
    if (char < " " or char == "\x7f") or (char > "\x7f" and not char.isalnum()):
        raise Unknown(f"the character U+{ord(char):04X}")
