"""Command lines that try to get past rules of many shapes: built from the grammar of bash, dash and zsh, then damaged.

Other than in `hostile_lines.py`, words, operators and blanks are drawn freely, so that lines arise that nobody wrote.
"""

import random
from collections.abc import Iterator

GOOD = (
    "pytest",
    "pytest -q",
    "git status",
    "ls -la",
    "npm run a",
    "git log --oneline",
    "python -m pytest -q",
    "echo hi",
    "echo 'a b'",
    "grep x b.py",
    "docker ps",
    'echo "$HOME"',
    "ls *.txt",
    "echo a;b",
)
BAD = (
    "evil", "worse x", "./evil", "'evil'", "e''vil", "\\evil", "sub/evil", "git push", "npm x evil", "python -c evil",
    "docker run x", "ev\\il", "$'evil'",
)  # fmt: skip
BLANKS = (
    " ", "  ", "\t", " \\\n", "\\\n", "\u00a0", "\u2003", "\u3000", "\x0b", "\x0c", "\r", "\u2028", "\u200b", "\ufeff",
    "\x85", "\u202e",
)  # fmt: skip
OPERATORS = (
    ";", "&", "&&", "||", "|", "|&", "\n", ";;", ";&", ";;&", "\n\n", ";\n", "&\n", "\r\n", "\r", "&&\n", "|\n",
    "\u037e", "\uff1b", "\uff5c", "\uff06", "&!", "&|",
)  # fmt: skip
QUOTES = ("'", '"', "\\", "`", "$'", '$"', "''", '""', "\\\\", "\\'", '\\"')
EXPANSIONS = (
    "$({b})", "`{b}`", "<({b})", ">({b})", "=({b})", "${{x:-$({b})}}", "${{x:=`{b}`}}", "$((`{b}`))", "$[$({b})]",
    "${{x[$({b})]}}", "${{x@P}}", "${{(e)x}}", "$x[$({b})]", "${{ {b}; }}", '"$({b})"', '"`{b}`"', "$(<a.txt)",
    "$(# c\n{b}\n)", '"$("{b}")"', "$(cat <<E\n$({b})\nE\n)", "$(cat <<'E'\n)\nE\n{b})", "{{a,$({b})}}", "~{b}",
    "*(e:'{b}':)", "@({b})", "x=$({b})", "--x=`{b}`", "\\$({b})", "\\\\$({b})", "'$({b})'", "$\\\n({b})",
    '"\\\\$({b})"', "a#$({b})", "''#$({b})",
)  # fmt: skip
REDIRECTIONS = (
    ">out", "2>&1", "&>out", "&>>out", ">|out", "<a.txt", "<>a.txt", "<<<$({b})", "<<<'{b}'", ">$({b})",
    "<<E\n$({b})\nE\n", "<<'E'\n{b}\nE\n", "<<-'E'\n\t{b}\n\tE\n{b}", "<<\\E\n{b}\nE\n", "<<E{o}{b}\nx\nE\n",
    "<<E <<A\n$({b})\nE\n{b}\nA\n", "<<'E'\n{b}\n E\n{b}\nE\n", "<<E\nx\\\nE\n{b}\nE\n", "<<''\n{b}\n\n{b}",
    "<<$E\n{b}\n$E\n{b}", "<<E;E\n{b}\nE\n", "<<E\n'\nE\n{b}\n'", "<<'E' 'a\n{b}\nE\n'", "{{fd}}>out", "3<&0",
    ">out{o}{b}", "&>out {b}", ">!out", ">&!out", "2>&1>out", "3<<E\n{b}\nE\n",
)  # fmt: skip
SHAPES = (
    "({g})", "{{ {g}; }}", "{{ {g} }}", "if {g}; then {h}; fi", "if {g} then {b}; fi", "if ({g}) {b}",
    "while {g}; do {h}; break; done", "for i in a b; do {g}; done", "for i in $({b}); do {g}; done", "for i in a;{g}",
    "for i (a b) {b}", "for ((i=0;i<1;i++)); do {b}; done", "repeat 2 {b}", "case x in (x) {b};; esac",
    "[[ -n $({b}) ]]", "(( $({b}) ))", "! {g}", "! ! {g}", "time {g}", "coproc {g}", "f() {b}; f", "() {{ {b}; }}",
    "alias -g x={b}\n{g} x", "eval '{b}'", "noglob {b}", "- {b}", "env -S'{b}'", "env -C sub ./pytest",
    "echo evil | xargs", "echo evil | xargs env", "sh -c '{g}'", "sh a.txt", "echo evil | sh", ". ./script",
    "trap {b} EXIT; {g}", "{{ {g} }} always {{ {b} }}", "{g} & {h}", "{g} &! {b}", "set -- {b}; $1", "x={b}; $x",
    "PATH=. pytest", "BASH_ENV=script {g}", "PS4='$({b})' {g}", "cd sub; ./pytest", "{g} ||\n{b}", "{g} \\\n;{b}",
    "{g} '\n{b}'", "{g} #{b}", "{g}#\n{b}", "{g} \\#{o}{b}", "#{g}\n{b}", "{g} -- ;{b}", "{g} @a.txt", "!{g}", "!!",
    "^a^b^", "={b}", "%1", "~/evil", "~+/evil", "sub/../evil", "*vil", "[e]vil", "{{evil,x}}", "$PWD/evil", "$0",
    '"" {b}', "$@{b}", "\\\n{b}", "{g}\\\n{b}", "{g} {o} {b}", "{g}{o}{b}", "{b}{o}{g}", "{g}{o}", "{g}{o}{o}{b}",
    "{g} {s}", "{g} a{s}b", '{g} "{s}"', "{g} '{s}'", "{s} {g}", "X={s} {g}", "{g} {r}", "{r} {g}", "{r}", "{g} {r} x",
    "{g} {r} {s}", "({g}) {r}", "{g} {q}{b}{q}", "{g} {q};{b}", "{g} {q};{b}{q}", "{q}{g}{q}{o}{b}",
    "{g} a{q}{s}{q}b", "{g}{w}{b}", "{g}{w};{w}{b}", "{w}{g}", "{g}{w}{s}", "X=1{w}{g}",
)  # fmt: skip
TOKENS = (
    *(
        "pytest",
        "evil",
        "echo",
        "ls",
        " ",
        " ",
        " ",
        "\n",
        ";",
        "&",
        "|",
        "&&",
        "||",
        "(",
        ")",
        "{",
        "}",
        "$",
        "`",
        "'",
    ),
    *(
        '"',
        "\\",
        "#",
        "<",
        ">",
        "<<",
        "E",
        "\nE\n",
        "=",
        "!",
        "[",
        "]",
        "*",
        "?",
        "~",
        "x",
        "1",
        "2>",
        "$(",
        "${",
        "$((",
    ),
    *("))", "if", "then", "fi", "do", "done", "for", "in", "while", "case", "esac", "time", "-c", "\t", "@", "%", "^"),
)
NOISE = (*TOKENS, *BLANKS, *OPERATORS, *QUOTES, ";evil;", "\nevil\n", "$(evil)", "`evil`", "|evil", "&evil ", "'evil'")


def hostile_grammar(count: int, seed: int) -> Iterator[str]:
    """Yields different lines: every shape first, then nested, damaged and random ones."""
    chance = random.Random(seed)
    done: set[str] = set()
    number = 0
    while len(done) < count:
        if number < len(SHAPES):
            line = _filled(SHAPES[number], chance, 0)
        elif chance.random() < 0.75:
            line = _filled(chance.choice(SHAPES), chance, 2)
            for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
                line = _damaged(line, chance)
        else:
            tokens = "".join(chance.choice(TOKENS) for _ in range(chance.randrange(1, 9)))
            line = f"{chance.choice(GOOD)}{' ' * (chance.random() < 0.7)}{tokens}"
        number += 1
        if line not in done:
            done.add(line)
            yield line


def _filled(shape: str, chance: random.Random, depth: int) -> str:
    good, other, bad = chance.choice(GOOD), chance.choice(GOOD), chance.choice(BAD)
    if depth and chance.random() < 0.35:
        good = _filled(chance.choice(SHAPES), chance, depth - 1)
    if depth and chance.random() < 0.2:
        bad = _filled(chance.choice(SHAPES), chance, depth - 1)
    if chance.random() < 0.35:
        bad = chance.choice(GOOD)
    parts = {
        "s": chance.choice(EXPANSIONS).format(b=bad),
        "r": chance.choice(REDIRECTIONS).format(b=bad, o=chance.choice(OPERATORS)),
        "o": chance.choice(OPERATORS),
        "q": chance.choice(QUOTES),
        "w": chance.choice(BLANKS),
    }
    return shape.format(g=good, h=other, b=bad, **parts)


def _damaged(line: str, chance: random.Random) -> str:
    at, other = sorted((chance.randrange(len(line) + 1), chance.randrange(len(line) + 1)))
    match chance.randrange(5):
        case 0 | 1:
            return line[:at] + chance.choice(NOISE) + line[at:]
        case 2:
            return line[:at] + line[at + 1 :]
        case 3:
            return line[: min(len(line), at + chance.randrange(1, 6))] + line[at:]
        case _:
            return line[:at] + line[other:]
