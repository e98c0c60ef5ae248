"""Tests that a query finds what a person types or copies: signs, accents, versions, hashes, ids."""

from random import Random

import pytest

from chorus.core.query.quoting import quote
from chorus.core.query.tree import Word
from chorus.errors import QueryError
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.search.answers import find
from chorus.find.search.entry_texts import Texts
from chorus.find.search.query_forms import forms
from chorus.testing.builders import tool_use
from chorus.testing.indexes import NEVER, whole
from tests.find.search.asking import found, query, session, vault_of

SAID = (
    "I write C++ every day",
    "The C compiler and the c library",
    "We use C# and F# here",
    "Run it with --flag now",
    "The flag is red",
    "Settings live in ~/.claude on disk",
    "claude is the name of it",
    "Train to Łódź at noon",
    "Train to Lodz at nine",
    "Deployed 🚀 at last",
    "Tests: ✓ 12 passed → done",
    "Released v2.1.325 today",
    "Commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 landed",
    "if (a => b) && !c",
    "Version 12.1.3250 is another",
    "💚 naïve café",
    "colour \x1b[31mcrimson\x1b[0m text",
    "while (left!=right) step",
    "left right is the way",
    "set mode=fast here",
    "The mode fast/slow is set",
    "ᏣᎳᎩ is Cherokee",
    "It says arn:aws:iam::role/x there",
    "A <div> is open",
    "It ends with </div> here",
    "The div of it",
    "Install @types/node first",
    "Types of a node",
    "Set ${BUILD_DIR} before",
    "The build dir is gone",
    "Glob **/*.rs matches",
    "Files of rs",
    "Pinned to ^1.2.0 or >=3.11",
    "Chapter 1.2.0 of 3.11",
    "Fixes #1234 and !important",
    "1234 important people",
    "Path D:\\Users\\me\\a.cs is open",
    "これは日本語です",
    "an &nbsp; entity, and nbsp alone",
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    talk = session()
    for said in SAID:
        talk.user(said)
    other = session(2, start="2026-02-01T09:00:00.000Z")
    other.user("Nothing of the kind")
    other.assistant(tool_use("Bash", {"command": "ls"}, id="t1"))
    other.tool_result("t1", "colour \x1b[1;32mviolet\x1b[0m")
    return vault_of(tmp_path_factory.mktemp("typed"), talk, other)


def texts(vault, text):
    """Returns the texts of the hits."""
    return [each.snippet.text.strip("…") for each in found(vault, text).found]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("C++", ["I write C++ every day"]),
        ("c++", ["I write C++ every day"]),
        ("C#", ["We use C# and F# here"]),
        ("--flag", ["Run it with --flag now"]),
        ("left!=right", ["while (left!=right) step"]),
        ("mode=fast", ["set mode=fast here"]),
        ("mode/fast", ["The mode fast/slow is set", "set mode=fast here"]),
        ("ᏣᎳᎩ", ["ᏣᎳᎩ is Cherokee"]),
        ("ꮳꮃꭹ", ["ᏣᎳᎩ is Cherokee"]),
        ("~/.claude", ["Settings live in ~/.claude on disk"]),
        (".claude", ["Settings live in ~/.claude on disk"]),
        ("Łódź", ["Train to Łódź at noon"]),
        ("łódź", ["Train to Łódź at noon"]),
        ("Lodz", ["Train to Lodz at nine", "Train to Łódź at noon"]),
        ("🚀", ["Deployed 🚀 at last"]),
        ("✓", ["Tests: ✓ 12 passed → done"]),
        ("→ done", ["Tests: ✓ 12 passed → done"]),
        ("2.1.325", ["Released v2.1.325 today"]),
        ("v2.1.325", ["Released v2.1.325 today"]),
        ("9f8e7d6", ["Commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 landed"]),
        ("9F8E7D6C5B", ["Commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 landed"]),
        ("=>", ["if (a => b) && !c"]),
        ("&&", ["if (a => b) && !c"]),
        ("&& -Lodz", ["if (a => b) && !c"]),
        ("flag -C++", ["The flag is red", "Run it with --flag now"]),
        ("c -C++ -C#", ["if (a => b) && !c", "The C compiler and the c library"]),
        ("cafe", ["💚 naïve café"]),
        ("day?", ["I write C++ every day"]),
        ('"write C++"', ["I write C++ every day"]),
        ("C++ OR 🚀", ["Deployed 🚀 at last", "I write C++ every day"]),
        ("<div>", ["A <div> is open"]),
        ("</div>", ["It ends with </div> here"]),
        ("arn:aws:iam::role/x", ["It says arn:aws:iam::role/x there"]),
        ("@types/node", ["Install @types/node first"]),
        ("${BUILD_DIR}", ["Set ${BUILD_DIR} before"]),
        ("**/*.rs", ["Glob **/*.rs matches"]),
        ("^1.2.0", ["Pinned to ^1.2.0 or >=3.11"]),
        (">=3.11", ["Pinned to ^1.2.0 or >=3.11"]),
        ("#1234", ["Fixes #1234 and !important"]),
        ("!important", ["Fixes #1234 and !important"]),
        ("D:\\Users\\me\\a.cs", ["Path D:\\Users\\me\\a.cs is open"]),
        ("日本語", ["これは日本語です"]),
        ("&nbsp;", ["an &nbsp; entity, and nbsp alone"]),
        ("crimson", ["colour crimson text"]),
        ("violet", ["ls colour violet"]),
    ],
)
def test_what_is_typed_is_what_is_meant(vault, typed, said):
    """A term finds its exact form if some entry has it, in any case, sign or script."""
    assert texts(vault, typed) == said
    assert not found(vault, typed).is_loose


def test_without_the_exact_form_its_words_are_found_and_the_answer_says_so(vault):
    """If no entry has the exact form, the answer and its next pages search for the words, and say so."""
    answers = found(vault, "--compiler")

    assert [each.snippet.text for each in answers.found] == ["The C compiler and the c library"]
    assert answers.is_loose and [(each.term, each.how) for each in answers.looked_for] == [("--compiler", "words")]
    first = found(vault, "Tràin", limit=1)
    second = found(vault, "Tràin", limit=1, below=first.next)
    assert first.is_loose and second.is_loose and second.next is None
    assert [len(first.found), len(second.found)] == [1, 1] and first.found != second.found


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("day C++", [("day", "words"), ("C++", "exactly")]),
        ("9f8e7d6", [("9f8e7d6", "beginning")]),
        ("de* regex:/x/", [("de*", "beginning"), ("/x/", "pattern")]),
        ("day -=>", [("day", "words"), ("=>", "exactly")]),
        ("nowhere =>", [("nowhere", "words"), ("=>", "not")]),
        ("🚀", [("🚀", "words")]),
    ],
)
def test_the_answer_says_what_was_looked_for(vault, typed, told):
    """The answer names every typed term and how it was searched, also those that could not be searched."""
    assert [(each.term, each.how) for each in found(vault, typed).looked_for] == told


def test_a_session_s_id_finds_its_conversation(vault):
    """The id of a session finds its conversation, whole or by its beginning, also together with other terms."""
    name = "5e551012-0000-4000-8000-000000000001"
    for typed in (name, name.upper(), name[:8], name[:13], f"{name} role:user"):
        answers = found(vault, typed)
        assert {each.conversation.id for each in answers.found} == {name}, typed
    assert found(vault, f"{name} is:error").found == []


ALPHABET = "   ab1 Zé.-_/\\+#~$@&=<>|(){}[]*\"'`:;,!?%^→✓🚀│Łø中文の½™…"


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 12))])
def test_whatever_is_copied_out_of_a_text_finds_it(tmp_path, seed):
    """Each piece between the blanks of a random text with all kinds of signs finds the text, quoted or not."""
    random = Random(seed)
    talk = session()
    said = ["".join(random.choices(ALPHABET, k=random.randint(5, 40))) for _ in range(15)]
    uuids = {text: talk.user(text)["uuid"] for text in said}
    vault = vault_of(tmp_path, talk)
    keeper = IndexKeeper(vault, saved_since=NEVER)
    keeper.catch_up()
    keeper.close()
    index = SqliteIndex(vault.root / FOLDER)
    scan = MemoryIndex()
    scan.write(whole(vault))
    tried = 0
    for text in said:
        for token in text.split():
            for typed in (token, quote(token)):
                try:
                    meant = query(typed)
                except QueryError:
                    continue
                if typed == token and not isinstance(meant.root, Word):
                    continue
                tried += 1
                answers = find(index, vault, meant, limit=100)
                assert uuids[text] in {each.entry for each in answers.found}, (typed, text)
                for form in forms(meant):
                    ours = index.search(form, limit=100, texts_of=Texts(index, vault).texts).hits
                    theirs = scan.search(form, limit=100, texts_of=Texts(scan, vault).texts).hits
                    assert len(ours) == len(theirs), (typed, form)
    index.close()
    assert tried > 30


def test_a_page_of_the_exact_form_does_not_go_over_into_its_words(vault):
    """A page after the last exact hit is empty, although other entries have the word."""
    assert len(found(vault, "C++", limit=1).found) == 1
    assert found(vault, "C++", limit=1, skip=1).found == []
