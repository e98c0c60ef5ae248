"""Tests of text from a transcript inside a Markdown document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chorus.core.views.markdown.quoting import _parsed, code, fenced, inline, prose, quoted
from chorus.core.views.markdown.simple_blocks import simple_blocks
from chorus.core.views.safe import safe


class Trusting(MarkdownIt):
    """A Markdown parser that makes a link of any address."""

    def validateLink(self, url):
        return True


READERS = [Trusting("commonmark"), Trusting("commonmark").enable(["table", "strikethrough"])]

hostile = st.lists(
    st.sampled_from(
        [
            *("`", "``", "```", "~~~", "<b>", "<script>", "</div>", "<!--", "<", ">", "![", "[", "](", ")", "]:", "|"),
            *("\n", "\n\n", " ", "    ", "\t", "- ", "1. ", "> ", "#", "# ", "===", "---", "\\", "&lt;", "x", "|-|-|"),
            *(
                "javascript:",
                "data:",
                "http://e.example",
                "a/b",
                "<javascript:x>",
                "$",
                "*",
                "_",
                "[^1]",
                "\r",
                "\u2028",
            ),
        ]
    ),
    max_size=24,
).map("".join)


def tokens_of(document):
    for reader in READERS:
        for token in reader.parse(document):
            yield token
            yield from token.children or ()


def is_inert(document):
    """Returns whether a page made of the document has no HTML, no image, and only links to the web or to a file."""
    for token in tokens_of(document):
        if token.type in ("html_block", "html_inline", "image"):
            return False
        if token.type == "link_open":
            target = str(token.attrs["href"])
            if ":" in target.split("/")[0] and not target.startswith(("http://", "https://", "mailto:")):
                return False
    return True


@given(hostile)
def test_prose_is_inert_and_closed(text):
    """The text of a message creates no HTML and no image, and it does not affect the text that follows."""
    document = f"## Before\n\n{prose(text)}\n\n## After"

    assert is_inert(document)
    for reader in READERS:
        titles = [token.content for token in reader.parse(document) if token.type == "inline" and token.map]
        levels = [token.tag for token in reader.parse(document) if token.type == "heading_open" and token.level == 0]
        assert titles[0] == "Before" and titles[-1] == "After"
        assert levels.count("h1") == 0 and levels.count("h2") == 2


@pytest.mark.parametrize(
    "text",
    [
        "[x]\n\n[x]: javascript:y",
        "a ` b\nc `<b>` d",
        "| ` | <b> ` |\n|---|---|\n| ` | <b> ` |",
        "\\`<b>`",
        "[x](\njavascript:y)",
        "[x](<javascript:y>)",
        "[x](java&#115;cript:y)",
        "- ```\n<b>",
        "> ```\n<b>",
        "```\n```\n<b>",
        "<a href='`'><b>`",
    ],
)
def test_known_ways_out_are_closed(text):
    """Text that a parser and an escaper may read differently creates no HTML, no image and no unsafe link."""
    assert is_inert(prose(text))


@given(hostile)
def test_a_fence_holds_whatever_is_in_it(text):
    """A fenced code block contains its text unchanged and ends where the text ends."""
    reader = READERS[0]
    (fence,) = [token for token in reader.parse(f"x\n\n{fenced(text)}\n\nafter") if token.type == "fence"]
    assert (
        fence.content.rstrip("\n").replace("\\x0d", "\r").replace("\\u{2028}", "\u2028")
        == text.replace("\r\n", "\n").rstrip("\n")
        or "\r" in text
    )


@given(hostile)
def test_a_title_is_only_words(text):
    """A name or title in a line is shown as text without markup."""
    document = f"## {inline(text)}\n\n{inline(text)}\n\nafter"

    assert is_inert(document)
    kinds = {token.type for token in tokens_of(document)}
    assert kinds <= {"heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text"} | {
        "text_special"
    }


@given(hostile)
def test_code_in_a_line_stays_in_it(text):
    """An address that is written as code is one code span."""
    kinds = [token.type for token in READERS[0].parseInline(f"a {code(text)} b")[0].children or ()]

    assert kinds in (["text", "code_inline", "text"], ["text"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <b>x</b>", "a &lt;b>x&lt;/b>"),
        ("`Vec<T>` is <i>", "`Vec<T>` is &lt;i>"),
        ("```\n<b>\n```", "```\n<b>\n```"),
        ("open ` tick <b> `x`", "open ` tick &lt;b> `x`"),
        ("# Title\n\ntext", "### Title\n\ntext"),
        ("Title\n===\n\ntext", "### Title\n\n\ntext"),
        ("```\nnever closed", "````\n```\nnever closed\n````"),
        ("![x](http://e.example)", "!\\[x](http://e.example)"),
        ("[x](https://e.example) [y](javascript:z)", "[x](https://e.example) [y]\\(javascript:z)"),
    ],
)
def test_prose_keeps_what_is_harmless(text, shown):
    """Code keeps its angle brackets, headings move to lower levels, and only unsafe text is escaped."""
    assert prose(text) == shown


def test_a_quotation_is_one():
    """Every line of a quotation is marked."""
    assert quoted("a\n\nb") == "> a\n>\n> b"


lines = st.lists(
    st.sampled_from(
        [
            *("```", "```py", "``` a`b", "````", "~~~", "~~~ x`y", "   ```", "    ```", "`` ``` ``"),
            *("# t", "## t #", "#", "#t", "  # t", "- # t", "1. 2. # t", "é # x", "| # x |", "> \t# x", "- **#6"),
            *("===", "---", "> ---", "* * *", "-" * 30, "- a", "  c", "1. a", "   b", "> q", ">", "> - a", "\t- a"),
            *("- [x] # foo", "text", "", "", " ", "\xa0", "    code", "[a]: /u", "'t", "|-|-|", "a\rb"),
            *("- " * 11 + "a", " " * 22 + "- a", "> " * 21 + "a", "- " * 30),
        ]
    ),
    max_size=12,
).map("\n".join)


@given(st.one_of(hostile, lines))
def test_blocks_that_are_read_without_a_parser_are_those_of_the_parser(text):
    """Where headings and fences begin at the start of a line, a message becomes what it becomes with the parser."""
    shown = safe(text).strip("\n")

    if simple_blocks(shown.split("\n")) is not None:
        assert prose(text) == _parsed(shown)


def test_most_messages_need_no_parser():
    """Paragraphs, lists, headings and closed fences are read without the parser; headings inside of lists are not."""
    message = "## What I did\n\n1. **First**, `a`\n   - then\n\n```py\n# code\n```\n> quoted\n"

    assert simple_blocks(message.split("\n")) is not None
    assert prose(message).startswith("#### What I did")
    assert simple_blocks(["- # inside"]) is None and simple_blocks(["```", "open"]) is None
