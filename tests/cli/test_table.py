"""Tests of tables: at a terminal each row is one line that fits, and a pipe gets everything uncut."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from chorus.cli.prose import prose
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Column, Forms, cut, table, wrapped
from tests.cli.at_a_terminal import at_a_terminal

COLUMNS = (
    Column("Id", is_brief=True),
    Column("Age", drop_rank=2, is_right=True),
    "Messages",
    Column("Size", drop_rank=3, is_right=True),
    Column("Folder", drop_rank=1, min_width=8, keeps_end=True),
    Column("Notes", drop_rank=4),
    Column("Title", min_width=12),
)
ROWS = (
    (Forms("5e551011-0000", "5e55"), "3 d", 1200, Forms("1,200,345", "1.2M"), "/home/dev/work/shop", "", "A short one"),
    (Forms("6e551011-0000", "6e55"), "12 d", 7, Forms("12", "12"), "/srv/x", "", "A title 日本語 that is long " * 4),
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


class Terminal(io.StringIO):
    """A stream that says it is a terminal. The variable COLUMNS sets its width."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def drawn(monkeypatch):
    """Returns a function that draws a table at a width."""

    def draw(width, columns=COLUMNS, rows=ROWS, **more):
        monkeypatch.setenv("COLUMNS", str(width))
        return table("Things", columns, rows, on=Terminal(), **more).splitlines()

    return draw


def test_a_pipe_gets_everything():
    """Each row is one line without tabs, with complete ids, numbers and texts. Only empty columns are left out."""
    title, head, first, second = table("Things", COLUMNS, ROWS, on=io.StringIO()).splitlines()

    assert title == "Things"
    assert head.split() == ["Id", "Age", "Messages", "Size", "Folder", "Title"]
    assert first.split()[:5] == ["5e551011-0000", "3", "d", "1,200", "1,200,345"] and first.endswith("A short one")
    assert ROWS[1][-1].strip() in second and "…" not in first + second


@pytest.mark.parametrize("width", [200, 120, 100, 80, 60, 50, 40, 30, 20, 10, 3])
def test_rows_fit_the_terminal(drawn, width):
    """At every width, each row is one line that is not wider than the terminal."""
    lines = drawn(width)

    assert len(lines) == 3 + len(ROWS)
    assert all(cell_len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) <= width for line in lines)


def test_what_gives_way_first(drawn):
    """Empty columns are left out. Then texts are cut, numbers become short, and columns are dropped by their rank."""
    heads = {width: drawn(width)[1].split() for width in (200, 60, 52, 46, 40)}

    assert heads[200] == ["Id", "Age", "Messages", "Size", "Folder", "Title"]
    assert heads[60] == heads[52] == heads[200]
    assert heads[46] == ["Id", "Age", "Messages", "Folder", "Title"]
    assert heads[40] == ["Id", "Messages", "Folder", "Title"]
    assert "1,200,345" in drawn(60)[3] and "…/work/shop" in drawn(60)[3] and "1.2M" in drawn(52)[3]
    assert drawn(200)[3].split()[0] == "5e55"


def test_a_total_stands_below_a_rule(drawn):
    """The total is the last line, at a terminal below a rule, also if there are no rows."""
    total = ("Total", "", 1207, "", "", "", "")

    assert drawn(80, total=total)[-2].strip(" ─") == ""
    assert drawn(80, total=total)[-1].split() == ["Total", "1,207"]
    assert table("Things", COLUMNS, (), total=total, on=io.StringIO()).splitlines()[-1].split() == ["Total", "1,207"]
    assert table("Things", COLUMNS, ()) == ""


@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers()), min_size=1, max_size=5), st.integers(1, 120))
def test_no_text_breaks_a_table(rows, width):
    """Whatever text cells contain, a row is one line that fits, and nothing in it acts on a terminal."""
    columns = (Column("One", min_width=8), Column("Two", drop_rank=1, min_width=8, keeps_end=True), "Three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        lines = table("T", columns, rows, on=Terminal()).split("\n")[1:-1]
    piped = table("T", columns, rows, on=io.StringIO()).split("\n")[1:-1]

    assert len(lines) == 2 + len(rows) and len(piped) == 1 + len(rows)
    assert all(line.isprintable() for line in (*lines, *piped))
    assert all(cell_len(line) <= width for line in lines)


@given(TEXTS, st.integers(1, 40), st.booleans())
def test_a_cut_text_has_the_width_it_may_have(text, width, keeps_end):
    """A text that fits stays unchanged. A longer text keeps one end and gets an ellipsis at the other."""
    text = "".join(char for char in text if char.isprintable())
    short = cut(text, width, keeps_end=keeps_end)

    assert cell_len(short) <= width
    assert short == text or short[0 if keeps_end else -1] == "…"


@given(TEXTS, st.integers(1, 40))
def test_a_wrapped_text_loses_no_letter(text, width):
    """A text on several lines contains all its letters, and each line fits unless it is one character."""
    lines = wrapped(text, width)

    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width or len(line) == 1 for line in lines)


@pytest.mark.parametrize("width", [80, 60, 40])
def test_a_column_that_wraps_is_not_cut(drawn, width):
    """A cell that is too wide continues below itself, and the other cells of its row are beside its first line."""
    meaning = "What a notification says: `none` (only that something happened), the title, or the command"
    columns = ("Name", Column("Meaning", min_width=12, wraps=True))
    lines = drawn(width, columns, [("notifyContent", meaning), ("tmux", "on")])

    assert " ".join(" ".join(lines[3:-1]).replace("notifyContent", "").split()) == meaning
    assert lines[3].startswith("  notifyContent  What") and lines[4].startswith("                 ")
    assert all(cell_len(line) <= width for line in lines) and lines[-1].split() == ["tmux", "on"]


@pytest.mark.parametrize("preferred", [0, 36])
def test_a_word_in_a_column_that_wraps_stays_whole(drawn, preferred):
    """A column that wraps is not made narrower than its longest word while another one can be narrower."""
    meaning = Column("Meaning", min_width=12, preferred_width=preferred, wraps=True)
    columns = ("Name", Column("Value", min_width=12, wraps=True), meaning)
    lines = drawn(60, columns, [("pushContact", "mailto:chorus@example.org", "An address to which services write")])

    assert "mailto:chorus@example.org" in lines[3].split()
    assert all(cell_len(line) <= 60 for line in lines)


def test_the_id_of_a_log_is_not_cut_within_its_name():
    """The short id of a conversation whose file names no session has the name of the file, and more if it is short."""
    short = short_ids(
        ["summary-2bddb854", "stdout.stdin-85511c00", "a-1234abcd", "3a73df0e-7dfc-4d8a-b513-ee54a4190e85"]
    )

    assert [*short.values()] == ["3a73df0e", "a-1234ab", "stdout.stdin", "summary-2bdd"]


@given(st.sets(st.text("ab-", min_size=1, max_size=14), max_size=8))
def test_short_ids_tell_apart(ids):
    """A short id has eight characters, or more if another id begins in the same way."""
    short = short_ids(ids)

    for each, begun in short.items():
        assert each.startswith(begun) and len(begun) >= min(8, len(each))
        assert begun == each or [other for other in ids if other.startswith(begun)] == [each]


def test_sentences_break_between_words(monkeypatch):
    """At a terminal a long sentence continues on the next line with complete words, and in a pipe it is one line."""
    text = "Vault  /a/long/path/of/some/vault: 190 conversations, 111.1 MB"
    assert prose(text) == text + "\n"

    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "30")

    lines = prose(text).splitlines()
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= 30 or len(line.split()) == 1 for line in lines) and lines[1].startswith("  ")


ERRORS = {
    "an id": ("show", "no-such-conversation-anywhere"),
    "a query": ("list", "bad:field"),
    "an option": ("cost", "--no-such-option-anywhere"),
    "a setting": ("config", "get", "no-such-setting-anywhere"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_break_between_words_too(tmp_path, name):
    """At a narrow terminal an error continues on the next line with complete words, indented."""
    given = {"COLUMNS": "40", "CHORUS_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    code, seen = at_a_terminal(*ERRORS[name], environment=given)

    lines = seen.splitlines()
    assert code == 2 and lines[0].startswith("chorus: ") and len(lines) > 1
    assert all(len(line) <= 40 or len(line.split()) == 1 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])
