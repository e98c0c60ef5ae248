"""Tests of the detection of commands that replace the content of a file, and of commands that only look like it."""

import pytest

from chorus.steer.approvals.overwrites import overwrites

OPERATORS = [">", ">|", "1>", "2>", "&>", ">&", "12>", "2>|"]
TARGETS = ["notes.txt", "'my notes.txt'", '"$HOME/notes"', "$out", "./a/b.json", "../x", "/etc/hosts", "{a,b}"]
FRAMES = [
    "echo hi {}",
    "{} echo hi",
    "cat a | sort {} && ls",
    "(make; ls) {}",
    "for x in a b; do echo $x {}; done",
    "cat <<EOF {}\nhello\nEOF",
    'bash -c "echo hi {}"',
    'echo "$(date {})"',
    "printf 'a > b' {}",
]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("gap", ["", " ", "\t"])
def test_every_form_of_redirection_to_a_file_is_seen(operator, gap):
    """A redirection is found with any operator, any target and at any place in the command."""
    for target in TARGETS:
        for frame in FRAMES:
            command = frame.format(f"{operator}{gap}{target}")
            found = overwrites(command)
            assert found is not None and ">" in found, command


@pytest.mark.parametrize(
    "command",
    [
        "echo hi >> log.txt", "make &>> log.txt", "make 2>>log.txt", "make > /dev/null 2>&1", "make 2>/dev/null",
        "make &>/dev/null",
        "echo oops >&2", "make 2>&1 | less", "make >&-", "diff <(ls a) <(ls b)", "make > >(cat)", "cat < notes.txt",
        "exec 3<>fifo",
        'git commit -m "map: a -> b"', "grep -c '>' a.html", "awk '$1 > 3' data", 'python -c "print(1 > 0)"',
        "python - <<'EOF'\nif a > b: print(a)\nEOF", "make | tee -a log.txt", "make | tee --append log.txt",
        "make | tee",
        "make | tee /dev/null", "sed -n 1p a", "echo \\> b", "committee add", "cpio -i",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_not_named(command):
    """Appending, joining streams, devices, process substitution, quoted text and here-documents overwrite nothing."""
    assert overwrites(command) is None


@pytest.mark.parametrize(
    "command",
    [
        "make | tee log.txt", "make | sudo tee /etc/x", "echo a | /usr/bin/tee b c", "mv a b", "cp -f a b",
        "sed -i s/a/b/ c", "sed -Ei.bak s/a/b/ c",
        "perl -pi -e s/a/b/ c", "sed --in-place s/a/b/ c", "ls | Out-File x", "Set-Content x y",
    ],
)  # fmt: skip
def test_programs_that_write_over_files_are_named(command):
    """Programs that replace the content of a file are reported like a redirection."""
    assert overwrites(command) is not None


@pytest.mark.parametrize("piece", [">", "> ", "'", '"', '\\"', "<<A\n", "tee ", "sed ", "a>b ", "'>", '"$('])
def test_long_commands_do_not_take_long(piece):
    """A long hostile repetition is read in one pass."""
    overwrites(piece * (200_000 // len(piece)))
