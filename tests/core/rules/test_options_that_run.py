"""Tests of options that make a harmless program run another one: a rule with `*` does not allow them."""

import pytest

from tests.core.rules.judged import of_command

RUNS_OTHERS = r"""
git -c core.pager=evil log
git -C /tmp/other status
git --git-dir=/tmp/other status
git clone -u evil a b
git clone --config core.fsmonitor=evil a b
git clone --conf core.fsmonitor=evil a b
git config alias.x '!evil'
git mergetool -t evil
git send-email --sendmail-cmd=evil
git log --output=/etc/x
git diff --outp=/etc/x
git init --templ=/tmp/other
git rebase --exe evil HEAD~1
find . -exec evil {} +
find . -name x -okdir evil {} \;
tar --to-comm=evil -xf x
tar --use-compress-prog=evil -xf x
tar --new-volume-script=evil -xf x
tar xfF x evil
tar -xIevil -f x
make -f other.mk
make --makef=other.mk
make -C /tmp/other
make CC=evil
make .SHELLFLAGS=evil
make 'X:=$(shell evil)'
sort --compress-prog=evil x
split --filt=evil x
awk 'BEGIN{system("evil")}'
gawk '@load "evil"'
sed '1e evil' x
sed 's/x/evil/e' x
python3 -c evil
python3 -W error -c evil
python3 -X dev -Ic evil
node --import=evil x.js
npm --call evil
npm exec evil
npm config set script-shell evil
yarn dlx evil
yarn exec evil
pnpm dlx evil
uv run evil
uv --quiet run evil
uv tool run evil
poetry run evil
bundle exec evil
rsync -M--rsh=evil a b
cargo --config 'build.rustc-wrapper="evil"' build
go test -exec evil
go build -toolexec=evil
go env -w CC=evil
gcc -wrapper evil x.c
g++ -fplugin=evil x.c
clang @evil
hg --config alias.x='!evil' x
svn diff --diff-cmd evil
sqlite3 x '.shell evil'
sqlite3 -cmd '.shell evil' x
pandoc --filter evil x
pdflatex -shell-escape x
cmake -P evil
ninja -f other.ninja
xargs -I{} sh -c {}
command -p evil
timeout 5 env evil
""".strip().split("\n")
PLAIN = """
git log --oneline -5
git commit -m "a message"
git diff --stat HEAD~1
tar -xzf x.tar.gz
tar tf x.tar
make -j4 test
make V=1
sort -u x
python3 -W error script.py
python3 -m pytest -q
npm test
go test ./...
cargo build --release
gcc -O2 -c x.c
sqlite3 x.db "select 1"
cmake --build build
yarn build
""".strip().split("\n")


def rule_for(line):
    return f'allow command:"{line.split()[0]} *"'


@pytest.mark.parametrize("line", RUNS_OTHERS)
def test_what_runs_another_program_is_asked(line):
    """A rule that allows a program with any words does not allow the words with which it runs another one."""
    assert of_command(rule_for(line), line) == "ask"


@pytest.mark.parametrize("line", PLAIN)
def test_plain_uses_are_allowed(line):
    """The same rules still allow what the program is usually called with."""
    assert of_command(rule_for(line), line) == "allow"


@pytest.mark.parametrize("line", ["uv run pytest -q", "poetry run pytest", "bundle exec pytest"])
def test_what_runners_start_needs_a_rule_of_its_own(line):
    """A runner is a wrapper: with a rule for it and one for what it starts, the line is allowed."""
    assert of_command(f'{rule_for(line)}\nallow command:"pytest *"', line) == "allow"
