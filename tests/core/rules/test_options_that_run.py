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
git clone --u evil a b
git clone -uevil a b
git clone -nu evil a b
git grep -nOevil x
git rebase -ix evil HEAD
git remote-ext x evil
git init --t=/tmp/x
make -sf evil.mk
make --f=evil.mk
make -sC /tmp/x
split --f=evil x
rsync -aveevil a b
rsync -aM--rsh=evil a b
curl -sK evil
curl -sKevil
fd -Hx evil
scp -rS evil a b
sftp -b evil host
zip -rTT evil x y
wget -qe use_askpass=evil x
gawk --exec evil
gawk --fil=evil
tar -x9I evil
tar --rmt-command=evil -cf h:x y
python3 -cprint(1)x y
python3 "-cimport os;os.system('evil')" x
perl "-esystem('evil')" x
perl "-Mevil;system(1)" x
ruby -r./evil x
ruby -e1 x
node -r./evil x.js
node --experimental-loader ./evil x.js
node --test-reporter ./evil.mjs x.js
python3 -m timeit evil
python3 -Im timeit evil
python3 -mtimeit evil
python3 /dev/stdin
python3 ../dev/stdin
bun run -
deno run -
fish -c evil
csh -c evil
pwsh -c evil
strace evil
proxychains4 evil
gosu root evil
aws-vault exec x -- evil
ssh-agent evil
systemd-inhibit evil
mpirun evil
conda run evil
pyenv exec evil
pipx run evil
rpm --eval '%(evil)'
rpm -E '%(evil)'
certbot --pre-hook evil
restic --password-command evil
aria2c --on-download-complete=evil x
exiftool '-x<${filename;system(1)}' y
gcc -fuse-ld=evil x.c
clang --ld-path=evil x.c
go build -ldflags -extld=evil
cargo --manifest-path /tmp/x/Cargo.toml build
npm --prefix /tmp/x test
npm -C /tmp/x test
yarn --cwd /tmp/x test
uv --directory /tmp/x sync
latexmk -e 'system(1)' x
gh alias set x '!evil'
batcat --pager=evil x
rg --pre evil x
m4 x
task exec evil
ip netns exec x evil
emacsclient -e evil
watchexec evil
hyperfine evil
cross-env X=1 evil
dotenv evil
run-parts /tmp/x
start-stop-daemon -S -x evil
msgfilter evil
ifne evil
logsave x evil
capsh -- -c evil
gdbserver :1 evil
script -c evil
flatpak run evil
snap run evil
bazel run --run_under=evil //x
helm --post-renderer evil template x
composer exec evil
dmsetup ls --exec evil
openssl rsa -engine evil
nmap --script evil x
op run -- evil
mail --exec=evil
git merge-index evil -a
git bisect view gitevil
git merge -s evil x
git merge -ns evil x
git pull --strategy=evil
git rebase --strat evil x
git archive --remote=ext::evil HEAD
git clone evil::x
git evil
git help git
npm exe evil
npm expl evil
npm se script-shell=evil
npm -script-shell=evil test
npm ---script-shell evil test
npm run x --script-s=evil
npm run x --git=./evil
npm run x --globalconf=y
npm docs --browser=evil x
npm test --init-module=x
pnpm evil
bun run evil
cargo evil
cargo rustc -- --codegen linker=evil
rustc -C linker=evil x.rs
mawk -Wexec=x y
mawk -W exec x
gawk -D x
make 'a b=$(shell evil)'
make 'X ::= $(shell evil)'
make '$(X)=$(shell evil)'
make '+x=$(shell evil)'
make 'a-b=$(shell evil)'
bmake '${:!evil!}'
tar -cf x -T evil
tar cfT x evil
tar -cf x --files-f=evil
tar xf evil:x
tar -xfevil:x
curl --eng=evil x
sftp host
man -Pevil ls
xdg-open evil
apt-get -o APT::Update::Pre-Invoke::=evil update
dpkg --pre-invoke=evil -l
install -s --strip-prog=evil x y
nm --plugin evil x
ld -plugin evil x
gs -sOutputFile=%pipe%evil x
convert '|evil' y
mypy --python-executable=evil x
pip config --edit=evil edit
pylint --init-ho=evil x
x --exe evil
python3 -m uv run evil
python3 -m dotenv run evil
deno run data:text/javascript,evil
sqlite3 x.db
systemctl edit x
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
git --no-pager log -p
git clean -fd
git commit -am fix
git grep -n word
git clone https://example.org/x y
git rebase -i HEAD~2
rsync -av a/ b/
curl -fsSL https://example.org
wget -q https://example.org
zip -r x.zip x
make -j4 -k test
python3 -m json.tool x.json
python3 -u script.py -c x
perl -w script.pl
node --test tests
node --max-old-space-size=4096 x.js
deno test
deno run --allow-net x.ts
gawk '{print $1}' x
split -l 100 x
cargo test --workspace
gcc -Wall -c x.c
openssl version
npm ci --ignore-scripts
gh pr view 3
rpm -qa
git merge --stat -s ours x
git merge -m "a message" x
git log --grep=foo::bar
git cherry-pick x
git -P log
npm run build --workspace=a -- --watch
npm i -D y
pnpm install --frozen-lockfile
yarn run build
cargo +nightly test -q
make -j 4 docs/x.html
make test VERBOSE=1
tar -xf a/b:c.tar
gh api --page=2
prettier --prose-wrap=always x
pip install -r requirements.txt
pytest --no-header --tb=short
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


def test_the_folder_of_direnv_is_no_command():
    """`direnv exec FOLDER COMMAND` needs a rule for the command, whatever the folder is called."""
    rules = 'allow command:"direnv *"\nallow command:"pytest *"'

    assert of_command(rules, "direnv exec pytest evil") == "ask"
    assert of_command(rules, "direnv exec . pytest -q") == "allow"


def test_find_ends_a_command_at_a_plus_only_after_braces():
    """`find -exec` takes a `+` elsewhere as a word: a rule with every word does not allow more words."""
    rules = 'allow command:"find *"\nallow command:"make docs"'

    assert of_command(rules, "find . -exec make docs ';'") == "allow"
    assert of_command(rules, "find . -exec make docs + evil ';'") == "ask"


@pytest.mark.parametrize("option", ["tar '-Ievil\n' -cf x y", "rsync '--rsh=evil\n' a b", "curl '-Kevil\nx'"])
def test_a_line_feed_in_an_option_changes_nothing(option):
    """An option that runs another program is recognised although its value has several lines."""
    assert of_command(rule_for(option), option) == "ask"


@pytest.mark.parametrize("line", ["git st -s", "cargo watch -q", "pnpm lint -q", "bun run lint -q", "bun lint -q"])
def test_an_alias_or_a_script_must_be_named(line):
    """`*` does not stand for an alias, a plug-in or a script; a rule that names it allows it with any words."""
    words = line.split()
    named = " ".join(words[:-1])

    assert of_command(f'allow command:"{words[0]} *"', line) == "ask"
    assert of_command(f'allow command:"{named} *"', line) == "allow"


@pytest.mark.parametrize(
    "line", ["git merge-index evil -a", "git config x", "npm exec evil", "npm exe evil", "pnpm dlx evil"]
)
def test_what_runs_its_words_is_asked_also_if_it_is_named(line):
    """A sub-command that runs what the words after it say needs a rule with every word."""
    named = " ".join(line.split()[:2])

    assert of_command(f'allow command:"{named} *"', line) == "ask"
    assert of_command(f'allow command:"{line}"', line) == "allow"
