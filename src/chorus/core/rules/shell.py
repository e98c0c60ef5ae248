"""Reads a command line as a shell does, and finds every command in it. Strict: what is not understood is `Unknown`.

It understands the part of the language that bash, dash and zsh read alike: lists, pipes, groups, subshells, `if`,
`while`, `until`, `for`, quotes, `$name`, `$(…)`, redirections and here-documents. Everything else (functions, `case`,
backquotes, `${x…}` with operators, arithmetic with names, `$'…'`, patterns with parentheses, process substitution) is
`Unknown`, because there shells differ, or evaluate a text once more. One pass over the text, so the time is linear.
"""

import re

from chorus.core.rules.shell_reading import MAX_DEPTH, WORD_ENDS, WordReader
from chorus.core.rules.shell_words import KEYWORDS, Command, Redirection, Unknown, Word

LONGEST_CHARS = 64 << 10
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_OPERATOR = re.compile(r"((?:[0-9]+(?!&))?)(&>>|&>|<<<|<<-|<<|>>|>\||>&|<&|<>|<|>)")
_NUMBERS_PATTERN = re.compile(r"<[0-9]*-[0-9]*>")
"""In zsh, a part of a word that stands for names of files."""
_DESCRIPTOR = re.compile(r"[0-9]+|-")


def commands_of(text: str, depth: int = 0) -> list[Command]:
    """Returns every command that a shell would run for this text, at any level. Raises `Unknown`."""
    if len(text) > LONGEST_CHARS:
        raise Unknown("it is very long")
    if "\0" in text:
        raise Unknown("the character U+0000")
    reader = _Reader(text, depth)
    reader.read_list(frozenset(), "")
    if reader.at < len(text):
        raise Unknown(f"`{text[reader.at]}` where a command ends")
    return reader.found


class _Reader(WordReader):
    """Reads the commands of one text."""

    def inside(self, text: str) -> WordReader:
        return _Reader(text, self.depth + 1)

    def read_list(self, ends: frozenset[str], closing: str) -> str:
        """Reads commands up to one of the keywords in `ends`, or the character `closing`; returns which one it was."""
        is_empty = True
        while True:
            self.skip_lines()
            if self.at >= len(self.text):
                if ends or closing:
                    raise Unknown("it ends too early")
                return ""
            if closing and self.text[self.at] == closing:
                if self.waiting:
                    raise Unknown("a here-document that does not begin on the next line")
                return closing
            keyword = self._keyword()
            if keyword in ends:
                if is_empty:
                    raise Unknown(f"nothing before `{keyword}`")
                self.at += len(keyword)
                return keyword
            self._read_pipeline()
            is_empty = False
            self.skip_blanks()
            if self.at >= len(self.text) or self.text[self.at] in (closing or "\n", "\n"):
                continue
            self._read_separator()

    def _read_separator(self) -> None:
        """Reads `;`, `&`, `&&` or `||`."""
        text, at = self.text, self.at
        if text.startswith(("&&", "||"), at):
            self.at += 2
            self.skip_lines()
            if self.at >= len(text) or text[self.at] in ";&|)":
                raise Unknown("nothing after `&&` or `||`")
        elif text[at] in ";&" and text[at + 1 : at + 2] not in (";", "&", "|", "!"):
            self.at += 1
            self.skip_blanks()
            if text[self.at : self.at + 1] in (";", "&", "|"):
                raise Unknown("two separators in a row")
        else:
            raise Unknown(f"`{text[at : at + 2]}` after a command")

    def _read_pipeline(self) -> None:
        while True:
            self.skip_lines()
            while self._keyword() in ("!", "time"):
                word = self._keyword()
                self.at += len(word)
                if word == "time":
                    self.found.append(Command((Word("time"),)))
                self.skip_blanks()
            self._read_command()
            self.skip_blanks()
            if self.text.startswith("|", self.at) and not self.text.startswith("||", self.at):
                self.at += 2 if self.text.startswith("|&", self.at) else 1
                continue
            return

    def _read_command(self) -> None:
        if self.at >= len(self.text):
            raise Unknown("it ends too early")
        if self.text[self.at] == "(":
            if self.text.startswith("((", self.at):
                raise Unknown("arithmetic")
            self.at += 1
            self.read_body(frozenset(), ")")
            self.at += 1
            self._read_redirections()
            return
        keyword = self._keyword()
        if keyword not in KEYWORDS:
            self._read_simple()
            return
        self.at += len(keyword)
        self._read_compound(keyword)
        self._read_redirections()

    def _read_compound(self, keyword: str) -> None:
        match keyword:
            case "{":
                self.read_body(frozenset({"}"}), "")
            case "if":
                self.read_body(frozenset({"then"}), "")
                while (end := self.read_body(frozenset({"elif", "else", "fi"}), "")) == "elif":
                    self.read_body(frozenset({"then"}), "")
                if end == "else":
                    self.read_body(frozenset({"fi"}), "")
            case "while" | "until":
                first = len(self.found)
                self.read_body(frozenset({"do"}), "")
                self._read_loop(first)
            case "for":
                self._read_for()
            case _:
                raise Unknown(f"`{keyword}`")

    def _read_for(self) -> None:
        self.skip_blanks()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise Unknown("a loop without a plain variable")
        self.at = name.end()
        self.found.append(Command(assigned=(name.group(),)))
        self.skip_blanks()
        if self._keyword() != "in":
            raise Unknown("a loop without a list")
        self.at += 2
        while True:
            self.skip_blanks()
            if self.text[self.at : self.at + 1] in ("", ";", "\n", "&", "|", "<", ">", "(", ")"):
                break
            self.read_word()
        if self.text[self.at : self.at + 1] == ";":
            self.at += 1
        self.skip_lines()
        if self._keyword() != "do":
            raise Unknown("a loop without `do`")
        self.at += 2
        self._read_loop(len(self.found))

    def _read_loop(self, first: int) -> None:
        """Reads the body of a loop whose commands begin at number `first`."""
        self.read_body(frozenset({"done"}), "")
        if any(each.words and _may_change_folder(each) for each in self.found[first:]):
            # In the second round, the commands before it run in another folder.
            raise Unknown("`cd` in a loop")

    def read_body(self, ends: frozenset[str], closing: str) -> str:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unknown("it is nested too deeply")
        found = self.read_list(ends, closing)
        self.depth -= 1
        return found

    def _read_simple(self) -> None:
        words: list[Word] = []
        assigned: list[str] = []
        redirections: list[Redirection] = []
        ends_elsewhere = False
        while True:
            self.skip_blanks()
            # Dash ends the command at the `&` of `&>`: what follows the file would be another one.
            ends_elsewhere = ends_elsewhere or self.text.startswith("&>", self.at)
            if self._read_redirection(redirections):
                continue
            if self.at >= len(self.text) or self.text[self.at] in "\n;&|)":
                break
            if self.text[self.at] == "(":
                raise Unknown("a function, or a parenthesis in a word")
            if ends_elsewhere:
                raise Unknown("words after `&>` and a file")
            set_variable = _ASSIGNMENT.match(self.text, self.at) if not words else None
            if set_variable is not None:
                assigned.append(set_variable.group(1))
                self.at = set_variable.end()
                if self.text[self.at : self.at + 1] not in ("", *WORD_ENDS):
                    self.read_word()
                elif self.text[self.at : self.at + 1] == "(":
                    raise Unknown("an array")
                continue
            word = self.read_word()
            if words and word.is_plain and word.text in ("{", "}"):
                raise Unknown("a brace as a word")
            words.append(word)
        if not words and not assigned and not redirections:
            raise Unknown("nothing where a command must be")
        if not words and redirections:
            # Zsh runs a program of its own choice there.
            raise Unknown("a redirection without a command")
        self.found.append(Command(tuple(words), tuple(assigned), tuple(redirections)))

    def _read_redirections(self) -> None:
        """Reads the redirections after a group or a loop."""
        found: list[Redirection] = []
        self.skip_blanks()
        while self._read_redirection(found):
            self.skip_blanks()
        if found:
            self.found.append(Command(redirections=tuple(found)))
        if self.text[self.at : self.at + 1] not in ("", "\n", ";", "&", "|", ")"):
            raise Unknown("words after a group")

    def _read_redirection(self, found: list[Redirection]) -> bool:
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None:
            return False
        kind = operator.group(2)
        if _NUMBERS_PATTERN.match(self.text, operator.start(2)):
            raise Unknown("a pattern of numbers")
        if len(operator.group(1)) > 1:
            # Dash and zsh read the number as a word of its own.
            raise Unknown("a redirection with a large number")
        self.at = operator.end()
        if self.text[self.at : self.at + 1] in ("(", "&", "<", ">", "|", "!"):
            raise Unknown(f"`{kind}{self.text[self.at]}`")
        self.skip_blanks()
        if kind in ("<<", "<<-"):
            self.read_delimiter(is_indented=kind == "<<-")
            return True
        if kind in (">&", "<&") and (descriptor := _DESCRIPTOR.match(self.text, self.at)) is not None:
            after = self.text[descriptor.end() : descriptor.end() + 1]
            if after == "" or after in WORD_ENDS:
                self.at = descriptor.end()
                return True
        if self.text[self.at : self.at + 1] in ("", *WORD_ENDS):
            raise Unknown("a redirection without a file")
        target = self.read_word()
        if kind != "<<<":
            found.append(Redirection(kind != "<", target))
        return True

    def _keyword(self) -> str:
        """Returns the plain word that begins here, without reading it; empty if there is none."""
        end = self.at
        while end < len(self.text) and self.text[end] not in WORD_ENDS:
            end += 1
            if end - self.at > 8:
                return ""
        word = self.text[self.at : end]
        return word if word in KEYWORDS else ""


def _may_change_folder(command: Command) -> bool:
    return command.words[0].text == "cd" or (
        command.words[0].text == "command" and any(word.text == "cd" for word in command.words)
    )
