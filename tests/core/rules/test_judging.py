"""Tests of what rules decide."""

from datetime import UTC, datetime

import pytest

from chorus.core.rules.rule_text import read_rule
from chorus.errors import ChorusError
from tests.core.rules.judged import of_command, ruling

PYTEST = 'allow command:"pytest *"'


@pytest.mark.parametrize(
    ("line", "behaviour"),
    [
        ("pytest", "allow"),
        ("pytest -q tests 2>&1", "allow"),
        ("pytest -q 2>/dev/null | pytest", "allow"),
        ('pytest "$X"', "allow"),
        ("pytest > out.txt", "ask"),
        ("pytest; rm -r x", "ask"),
        ("pytest $(rm x)", "ask"),
        ("X=1 pytest", "ask"),
        ("sudo pytest", "ask"),
        ("timeout 5 pytest", "ask"),
        ("./pytest", "ask"),
        ("Pytest", "ask"),
        ("p\u0443test", "ask"),
        ("cd / && pytest", "ask"),
    ],
)
def test_a_command_is_allowed_only_if_every_part_is(line, behaviour):
    """A rule about one program allows that program with any words, and no other program or file."""
    assert of_command(PYTEST, line) == behaviour


def test_wrappers_are_allowed_by_their_own_name_and_what_they_start_by_its():
    """A wrapper needs a rule, and so does what it starts."""
    both = (
        f'{PYTEST}\nallow command:"timeout *"\nallow command:"sudo *"\nallow command:"xargs *"\nallow command:"find *"'
    )

    assert of_command(both, "timeout 5 pytest -q") == "allow"
    assert of_command(both, "timeout 5 rm x") == "ask"
    assert of_command(both, "sudo timeout 5 sh -c pytest") == "ask"
    assert of_command(both, "find . -name x | xargs pytest") == "allow"
    assert of_command(both, "find . -name x | xargs rm") == "ask"
    assert of_command(both, "find . -delete") == "ask"
    assert of_command(f"{both}\ndeny command:rm", "sudo find . -exec /bin/RM -r {} +") == "deny"


def test_without_a_star_the_words_must_be_exactly_these():
    """A rule that does not end with `*` allows nothing more than its words."""
    exact = 'allow command:"git push origin main"'

    assert of_command(exact, "git push origin 'main'") == "allow"
    assert of_command(exact, "git push origin main --force") == "ask"
    assert of_command(exact, "git push origin $X") == "ask"


@pytest.mark.parametrize(
    "line",
    [
        "git -c core.pager=x log",
        "git log --output=x --ext-diff",
        "git rebase --exec x",
        "git submodule foreach x",
        "git $X",
        'git "$X"',
        "git *",
        "tar xf a --to-command=x",
        "tar cf a *",
        "tar cf a -*",
        "python -c x",
        "python $X",
        "python",
        "sed e x",
        "sh script",
        "bash ./script -c x",
        "sed 's/a/b/e' x",
        "sed -i s/a/b/ x",
        "awk 'BEGIN{system(1)}'",
        "ssh host x",
        "rsync -e x a b",
        "less x",
        "printf %d x",
        "test 'a[0]' -eq 1",
        "[ -v x ]",
        "exit x",
        "perl -ne x",
        "node -e x",
        "curl -K x",
        "make --eval=x",
    ],
)
def test_a_command_that_may_run_something_hidden_needs_a_rule_with_every_word(line):
    """`*` does not allow words by which a program runs other programs."""
    name = line.split()[0]

    assert of_command(f'allow command:"{name} *"', line) == "ask"


@pytest.mark.parametrize(
    "line",
    [
        "git log -p",
        "git commit -m \"$(cat <<'E'\nx\nE\n)\"",
        "git add src/*.py",
        "sed -n 1,5p x",
        "sed s/a/b/g x",
        "test -f x",
        "[ $? -eq 0 ]",
        "python -m pytest -q",
        "python x.py -c y",
        "awk '{print $1}' x",
        "tar xf a",
        "git -P log",
    ],
)
def test_harmless_words_of_such_a_program_are_allowed(line):
    """The same programs are allowed with words that run nothing."""
    rules = f'allow command:"{line.split()[0]} *"\nallow command:"cat *"'

    assert of_command(rules, line) == "allow"


def test_a_rule_that_denies_wins():
    """A rule that denies wins over more specific ones, also behind folders, options and unknown words."""
    rules = 'allow command:"git push origin *"\nallow command:"git *"\ndeny command:"git push"'

    assert of_command(rules, "git push origin main") == "deny"
    assert of_command(rules, "pytest; /usr/bin/git push") == "deny"
    assert of_command(rules, "git -C x push") == "ask"
    assert of_command(rules, "git status") == "allow"


def test_the_most_specific_rule_decides_and_then_the_first():
    """The rule with more words and conditions decides; of two that are alike, the first."""
    assert of_command('allow command:"git *"\nask command:"git push"', "git push x") == "ask"
    assert of_command('ask command:"git *"\nallow command:"git log *"', "git log x") == "allow"
    assert (
        of_command('ask command:"git log *"\nallow command:"git log *" agent:main', "git log", agent="main") == "allow"
    )
    assert of_command('ask command:"git log *"\nallow command:"git log *"', "git log") == "ask"
    assert of_command('allow command:"git log *"\nask command:"git log *"', "git log") == "allow"


@pytest.mark.parametrize(
    ("tool", "given", "behaviour"),
    [
        ("Read", {"file_path": "/srv/project/a.py"}, "allow"),
        ("Read", {"file_path": "src/a.py"}, "allow"),
        ("Read", {"file_path": "/srv/project/../secret"}, "ask"),
        ("Read", {"file_path": "/srv/projects"}, "ask"),
        ("Read", {"file_path": "~/x"}, "ask"),
        ("Read", {"file_path": 3}, "ask"),
        ("Read", {}, "ask"),
        ("Glob", {"pattern": "**/*.py"}, "allow"),
        ("Glob", {"pattern": "/etc/*"}, "ask"),
        ("Grep", {"pattern": "/etc", "path": "src"}, "allow"),
        ("Grep", {"pattern": "x", "path": "/etc"}, "ask"),
        ("Write", {"file_path": "/srv/project/a.py"}, "ask"),
    ],
)
def test_a_path_must_be_inside(tool, given, behaviour):
    """A rule about files inside the workspace allows no file outside of it, however it is written."""
    assert ruling("allow tool:Read,Glob,Grep path:inside", tool, given).behaviour == behaviour


def test_links_are_followed():
    """A path that leads outside by a link is outside."""
    real = {"/srv/project/link/x": "/etc/x"}

    def resolve(path: str) -> str:
        return real.get(path, path)

    rule = "allow tool:Write path:inside"
    assert ruling(rule, "Write", {"file_path": "link/x"}, resolve=resolve).behaviour == "ask"
    assert ruling(rule, "Write", {"file_path": "link/y"}, resolve=resolve).behaviour == "allow"


@pytest.mark.parametrize(
    ("line", "names", "behaviour"),
    [
        ("cat *.txt", ["/srv/project/a.txt"], "allow"),
        ("cat *.txt", ["/srv/project/a.txt", "/srv/project/link.txt"], "ask"),
        ("cat l*/shadow", ["/srv/project/link.txt/shadow"], "ask"),
        ("cat *.txt", None, "ask"),
    ],
)
def test_links_that_a_pattern_names_are_followed(line, names, behaviour):
    """A pattern that names a link to a place outside is outside; so is one of which that is not known."""

    def resolve(path: str) -> str:
        return path.replace("/srv/project/link.txt", "/etc")

    rule = 'allow command:"cat *" path:inside'
    assert of_command(rule, line, resolve=resolve, expand=lambda _pattern: names) == behaviour


@pytest.mark.parametrize(
    ("line", "behaviour"),
    [
        ("rm a b/c", "allow"),
        ("rm -rf ./b", "allow"),
        ("rm *.pyc", "allow"),
        ("rm /srv/project/a", "allow"),
        ("rm .*", "ask"),
        ("rm ../a", "ask"),
        ("rm a/../../b", "ask"),
        ("rm /etc/x", "ask"),
        ("rm --x=/etc", "ask"),
        ("rm -o/etc", "ask"),
        ("rm ~/x", "ask"),
        ("rm $X", "ask"),
        ("cd sub && rm a", "allow"),
        ("cd sub && rm ../a", "ask"),
        ("cd .. && rm a", "ask"),
        ("cd $X && rm a", "ask"),
        ("(cd /etc); rm a", "ask"),
    ],
)
def test_the_words_of_a_command_must_be_inside(line, behaviour):
    """A command with a condition on paths is allowed only if every word that may be a path is inside."""
    assert of_command('allow command:"rm *" path:inside\nallow command:"cd *"', line) == behaviour


def test_a_program_below_the_workspace_is_that_program_only_there():
    """A relative program is allowed only in the folder of the workspace."""
    rule = 'allow command:"./run.sh *"\nallow command:"cd *"'

    assert of_command(rule, "./run.sh x") == "allow"
    assert of_command(rule, "cd sub && ./run.sh") == "ask"
    assert of_command(rule, "./run.sh", cwd="/srv/project/sub") == "ask"


def test_a_redirection_is_judged_like_the_tool_that_does_the_same():
    """`>` is judged as Write and `<` as Read of that file."""
    rules = f"{PYTEST}\nallow tool:Write path:inside\ndeny tool:Read path:outside"

    assert of_command(rules, "pytest > out.txt") == "allow"
    assert of_command(rules, "pytest > /etc/out") == "ask"
    assert of_command(rules, 'pytest > "$X"') == "ask"
    assert of_command(rules, "pytest < /etc/passwd") == "deny"
    assert of_command(f'{rules}\nallow command:"tee *"', "pytest | tee out.txt") == "allow"
    assert of_command(f'{rules}\nallow command:"tee *"', "pytest | tee /etc/out") == "ask"


@pytest.mark.parametrize(
    ("url", "behaviour"),
    [
        ("https://docs.python.org/3/", "allow"),
        ("http://DOCS.python.org", "allow"),
        ("https://docs.python.org.evil.example/", "ask"),
        ("https://docs.python.org@evil.example/", "ask"),
        ("https://docs.python.org\\@evil.example/", "ask"),
        ("https://evil.example/docs.python.org", "ask"),
        ("file:///etc/passwd", "ask"),
        ("https://d\u043ecs.python.org/", "ask"),
    ],
)
def test_a_host_must_be_exactly_that_host(url, behaviour):
    """A rule about a host allows that host alone."""
    assert ruling("allow tool:WebFetch host:docs.python.org", "WebFetch", {"url": url}).behaviour == behaviour
    curl = 'allow command:"curl *" host:docs.python.org'
    assert ruling(curl, "Bash", {"command": f"curl -fsS '{url}'"}).behaviour == behaviour


def test_other_words_of_a_command_may_name_a_host_as_well():
    """A command with a condition on hosts is allowed only if every word is a URL of that host, or a plain option."""
    rule = 'allow command:"curl *" host:*.example.org'

    assert of_command(rule, "curl -s https://a.example.org/x") == "allow"
    for line in (
        "curl",
        "curl https://a.example.org b.net",
        "curl -x b.net https://a.example.org",
        "curl -xb https://a.example.org",
    ):
        assert of_command(rule, line) == "ask", line
    assert of_command(f"{rule}\ndeny host:evil.net", "curl http://evil.net:80/") == "deny"


@pytest.mark.parametrize(
    ("condition", "situation", "behaviour"),
    [
        ("workspace:project", {"workspaces": ("project-12345678", "project")}, "allow"),
        ("workspace:other", {"workspaces": ("project",)}, "ask"),
        ("workspace:project", {}, "ask"),
        ("agent:main", {"agent": "main"}, "allow"),
        ("agent:main", {"agent": "reviewer"}, "ask"),
        ("subagent:no", {"is_subagent": True}, "ask"),
        ("subagent:yes", {"is_subagent": True}, "allow"),
        ("hours:09:00-18:00 days:mon-fri", {}, "allow"),
        ("hours:18:00-09:00", {}, "ask"),
        ("hours:22:00-11:00", {}, "allow"),
        ("days:sat,sun", {}, "ask"),
        ("until:2026-03-02", {}, "allow"),
        ("until:2026-03-01", {}, "ask"),
        ("until:2026-03-02", {"at": datetime(2026, 3, 3, 0, 0, tzinfo=UTC)}, "ask"),
    ],
)
def test_where_when_and_who(condition, situation, behaviour):
    """A rule applies only where its conditions hold; what is not known does not hold."""
    assert of_command(f"{PYTEST} {condition}", "pytest", **situation) == behaviour


def test_variables_must_be_named():
    """A variable may be set only if a rule names it."""
    rule = 'allow command:"go test *" env:GOOS\nallow env:BASE'

    assert of_command(rule, "GOOS=linux go test ./...") == "allow"
    assert of_command(rule, "PATH=. go test ./...") == "ask"
    assert of_command(f'{rule}\nallow command:"ls *"', "BASE=x; ls $BASE") == "allow"
    assert of_command(rule, "BASE=x; go test $BASE") == "ask", "it could hold an option of `go`"
    assert of_command(rule, "BASE=$(rm x); go test") == "ask"
    assert of_command(rule, "IFS=x; go test") == "ask"


def test_what_is_not_understood_is_asked_and_still_denied_by_the_tool():
    """A line that is not understood is left to a person, unless the tool itself is denied."""
    assert of_command(PYTEST, "pytest `x`") == "ask"
    assert of_command("deny tool:Bash", "pytest `x`") == "deny"
    assert ruling(PYTEST, "Bash", {"command": "pytest", "dangerouslyDisableSandbox": True}).behaviour == "ask"
    assert ruling(PYTEST, "Bash", {"command": ["pytest"]}).behaviour == "ask"
    assert ruling("allow tool:Read\nask tool:Read", "PowerShell", {"command": "ls"}).behaviour == "ask"


def test_the_tools_of_one_server_are_not_those_of_another():
    """A rule for the tools of one server allows none whose server may have a longer name."""
    rule = "allow tool:mcp__git__*"

    assert ruling(rule, "mcp__git__status", {}).behaviour == "allow"
    assert ruling(rule, "mcp__git__evil__run", {}).behaviour == "ask"
    assert ruling(rule, "mcp__gitevil__run", {}).behaviour == "ask"
    assert ruling("deny tool:mcp__git__*", "mcp__git__evil__run", {}).behaviour == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "permit tool:Read",
        "allow",
        "allow path:inside",
        "allow tool:Bash",
        "allow tool:*",
        "allow tool:mcp__*",
        "allow tool:mcp__git*",
        "allow tool:B*",
        "allow tool:Read,Ba*",
        "allow tool:W*",
        'allow command:"a; b"',
        'allow command:"a | b"',
        'allow command:"$x"',
        'allow command:"a > b"',
        'allow command:"X=1 a"',
        'allow command:"eval *"',
        'allow command:"*"',
        'allow command:"if *"',
        'allow command:"a * b"',
        "allow tool:Read path:outside",
        "allow tool:Read path:/",
        "allow tool:Read path:../x",
        "allow tool:Read path:~",
        "allow env:PATH",
        "allow env:LD_PRELOAD",
        "allow env:PYTHONPATH",
        "allow env:CC",
        "allow env:GOFLAGS",
        "allow env:GOCACHEPROG",
        "allow env:CFLAGS",
        "allow env:PYTHONWARNINGS",
        "allow env:PYTHONBREAKPOINT",
        "allow env:NODE_OPTIONS",
        "allow env:NODE_REPL_EXTERNAL_MODULE",
        "allow env:DOTNET_STARTUP_HOOKS",
        "allow env:CARGO_HOME",
        "allow env:UV_PYTHON",
        "allow env:KUBECONFIG",
        "allow env:PYTEST_PLUGINS",
        "allow env:DEBUG,PATH",
        "allow env:TAR_OPTIONS",
        "allow env:PYTEST_ADDOPTS",
        "allow env:RUSTC_WRAPPER",
        "allow env:npm_config_script_shell",
        "allow tool:Read tool:Write",
        "allow tool:Read color:red",
        "allow tool:Read days:x",
        "allow tool:Read hours:9-18",
        "allow tool:Read\nx",
        "allow tool:Read subagent:maybe",
        "allow tool:Read until:tomorrow",
        "allow tool:WebFetch host:x/y",
        "allow tool:Re\u200bad",
    ],
)
def test_a_rule_that_is_wrong_or_too_wide_is_refused(text):
    """A text that is no rule, or would allow what nobody can judge, is refused with a reason."""
    with pytest.raises(ChorusError) as refused:
        read_rule(text)
    assert str(refused.value)


def test_a_rule_has_one_written_form():
    """Order and blanks do not matter: the same conditions are the same rule."""
    one = read_rule('allow   path:inside command:"git  status *"')
    other = read_rule('allow command:"git  status *" path:inside')

    assert one.text == other.text and one.id == other.id
    assert read_rule(one.text) == one
