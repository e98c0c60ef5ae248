"""Programs that run other programs, or evaluate code, whatever their words are, and options that say so.

A rule with `*` never allows them: with `strace *`, a person would allow everything.
"""

import re

from chorus.core.rules.shell_words import listed

_SHELLS = listed(
    """
    csh elvish fish hush ion ksh93 lksh nu oil oksh osh pdksh posh powershell pwsh rbash rc rksh sash tcsh xonsh yash
    ysh
    """
)
"""Shells whose language is not read here."""
_INTERPRETERS = listed(
    """
    bpython byebug clickhouse-client dc duckdb erl escript expect ghci gimp ginsh gnuplot groovy guile iex ipython
    ipython3 irb jjs jrunscript jshell julia jython litecli lua m4 mariadb micropython mongo mongosh msfconsole
    mysql mycli octave osascript pgcli php pry psql ptpython R racket Rscript runghc runhaskell scala slsh sqlplus
    swipl tclsh wish
    """
)
_WRAPPERS = listed(
    """
    aa-exec accelerate annotate-output ansible ansible-playbook apply at autossh aws-vault batch bear bpftrace
    buildah bunx busybox bwrap capsh catchsegv ccache cdist cgexec chamber choom chpst chroot chrt concurrently cpulimit
    crash crictl crontab cross-env cross-env-shell csvtool ctr daemonize dbus-launch dbus-run-session dbx debugfs
    distcc distrobox docker docker-compose doctl dopx doppler dosbox dotenv dotenvx dsh dtach dtruss dumb-init eatmydata
    entr envchain envdir envuidgid fakechroot fakeroot faketime firejail flatpak flock foreman gcore gdb gdbserver gosu
    grc gtester guix heaptrack honcho hyperfine i386 icecc ifne invoke-rc.d knife ksu kubectl launchctl lckdo ld.so lftp
    linux32 linux64 lldb logsave ltrace lxc lxc-attach lxc-execute machinectl memray mispipe mosh mpiexec mpirun
    msgfilter multitime nerdctl newgrp nix nix-build nix-shell nodemon npm-run-all npx nsenter nsjail numactl oc
    onchange overmind parallel pee perf pexec pkexec pm2 pnpx podman prlimit proot proxychains proxychains4 pscp pssh
    py-spy rbspy rlogin rlwrap rr rsh run-mailcap run-one run-parts runcon runscript runsv runuser salloc sbatch sccache
    scan-build scanmem screen script sem service setarch setlock setpriv setuidgid sg socat softlimit srun ssh ssh-agent
    sshpass start-stop-daemon strace su su-exec supervisord systemd-cat systemd-inhibit systemd-nspawn systemd-run
    tasksh taskset tdbtool telnet tini tmate tmux toolbox torify torchrun torsocks toybox trickle tsocks uftrace
    unbuffer unshare uvx valgrind viztracer watch watchexec watchfiles watchmedo wine x86_64 xdotool xinit xvfb-run zrun
    """
)
"""Programs that start the command in their words, here or on another machine."""
_TERMINALS = listed("alacritty foot gnome-terminal kitty konsole ptyxis rxvt urxvt wezterm xterm")
_OPENERS = listed(
    "compose edit exo-open gio gnome-open gtk-launch kde-open open print run-mailcap see start wslview xdg-open"
)
"""Programs that start whatever belongs to a file."""
_SCREENS = listed(
    """
    ed emacs emacsclient ex ftp jed info joe less mail mailx man micro more most mutt nano nc ncat ncftp neomutt
    netcat nvim pico red rvim rview pinfo sensible-browser sensible-editor sensible-pager sftp smbclient tcpdump
    tshark vi view vigr vim vimdiff vipw w3m zless
    """
)
"""Programs in which a person, or a file, can start others."""
RUNNING_PROGRAMS = _SHELLS | _INTERPRETERS | _WRAPPERS | _TERMINALS | _OPENERS | _SCREENS

_RUNNING_WORDS = listed(
    """
    askpass cmd command editor eval exec execute hook interpreter launcher pager pinentry preprocessor rsh shell wrapper
    """
)
_RUNNING_OPTION = re.compile(
    r"--(?!(?:no|ignore|skip|disable|without)-)(?:[a-z0-9]+-)*"
    rf"(?:{'|'.join(sorted(_RUNNING_WORDS))})(?:-(?:args|bin|cmd|command|file|options|path|program))?(?:=.*)?"
    r"|--on-[a-z-]+(?:=.*)?",
    re.DOTALL,
)
_LAST_PART = re.compile(r"--(?!(?:no|ignore|skip|disable|without)-)(?:[a-z0-9]+-)*([a-z]{3,})(?:=.*)?", re.DOTALL)
_WORDS_OF_THEIR_OWN = listed("com edit int page pre wrap")
"""Words that begin like one that runs something, and mean something else."""


def is_running_option(word: str) -> bool:
    """Returns whether an option of any program says that it runs something: `--pre-hook=…`, `--exec`, or shortened."""
    if _RUNNING_OPTION.fullmatch(word) is not None:
        return True
    found = _LAST_PART.fullmatch(word)
    if found is None or found.group(1) in _WORDS_OF_THEIR_OWN:
        return False
    return any(each.startswith(found.group(1)) for each in _RUNNING_WORDS)
