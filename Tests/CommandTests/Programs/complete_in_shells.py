#!/usr/bin/env python3
"""Types commands and TAB in bash, zsh and fish, and checks what the shells complete.

  complete_in_shells.py FOLDER [SHELL ...]

Each shell runs under a pseudo-terminal in FOLDER, which has the files of example_files.sh, with the completions of the
`cdpipe` on the PATH. Without SHELL, tries all three. Prints a line for each shell, and for each case that fails what was
completed. Exits 1 if one failed, 77 if a shell is not installed.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

# What is typed before TAB, and the words of the completed line. Each has exactly one completion.
CASES = [
    ("cdpipe nor", "cdpipe normalize"),
    ("cdpipe rules ch", "cdpipe rules check"),
    ("cdpipe help intersec", "cdpipe help intersect"),
    ("cdpipe help rules comp", "cdpipe help rules compile"),
    ("cdpipe completions zs", "cdpipe completions zsh"),
    ("cdpipe sort --mem", "cdpipe sort --memory"),
    ("cdpipe download --header-f", "cdpipe download --header-file"),
    ("cdpipe normalize --region Q", "cdpipe normalize --region QA"),
    ("cdpipe normalize --region q", "cdpipe normalize --region qa"),
    ("cdpipe parse --encoding GB1", "cdpipe parse --encoding GB18030"),
    ("cdpipe parse --format vc", "cdpipe parse --format vcard"),
    ("cdpipe emit --format jso", "cdpipe emit --format jsonl"),
    ("cdpipe dedupe --keep hig", "cdpipe dedupe --keep highest-score"),
    ("cdpipe info numb", "cdpipe info numbers.cdstore"),
    ("cdpipe info --json numb", "cdpipe info --json numbers.cdstore"),
    ("cdpipe apply old.cdstore change.", "cdpipe apply old.cdstore change.cddelta"),
    ("cdpipe run nigh", "cdpipe run nightly.yaml"),
    ("cdpipe run --report rejec", "cdpipe run --report rejects.html"),
    ("cdpipe classify --rules rules.c", "cdpipe classify --rules rules.cdrules"),
    ("cdpipe rules check rules.y", "cdpipe rules check rules.yaml"),
    ("cdpipe parse list.c", "cdpipe parse list.csv"),
    ("cdpipe emit list.tsv -o old.c", "cdpipe emit list.tsv -o old.cdstore"),
    ("cdpipe simulate shards --call 1 --js", "cdpipe simulate shards --call 1 --json"),
    ("cdpipe number 1 --js", "cdpipe number 1 --json"),
    ("cdpipe generate --patterns-f", "cdpipe generate --patterns-file"),
    ("cdpipe sort --temp-dir pub", "cdpipe sort --temp-dir public"),
]
TIMEOUT_SECONDS = 120
# `show` prints its arguments between marks, so that the completed line can be read from any screen.
SHELLS = {
    "bash": {
        "command": ["bash", "--norc", "--noprofile", "-i"],
        "setup": "source <(cdpipe completions bash); bind 'set enable-bracketed-paste off'; "
        "show() { printf '<<'; printf '%s ' \"$@\"; printf '>%s' '>'; echo; }; PS1='$ '",
    },
    "zsh": {
        "command": ["zsh", "-f", "-i"],
        "setup": "fpath=($ZDOTDIR $fpath); autoload -Uz compinit; compinit -u; bindkey -e; "
        "show() { printf '<<'; printf '%s ' \"$@\"; printf '>%s' '>'; echo }; PS1='$ '",
    },
    "fish": {
        "command": ["fish", "--no-config", "-i"],
        "setup": "cdpipe completions fish | source; function show; printf '<<'; printf '%s ' $argv; printf '>%s' '>'; "
        "echo; end; function fish_prompt; echo '$ '; end",
    },
}


class Terminal:
    """A shell under a pseudo-terminal."""

    def __init__(self, name, folder, home):
        shell = SHELLS[name]
        variables = {**os.environ, "HOME": home, "ZDOTDIR": home, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        if name == "zsh":
            with open(os.path.join(home, "_cdpipe"), "w", encoding="utf-8") as script:
                subprocess.run(["cdpipe", "completions", "zsh"], stdout=script, check=True)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(shell["command"][0], shell["command"], variables)
        self.seen = ""
        self.wait_for(".")
        self.read_while(0.5)
        self.type(shell["setup"] + "\r")
        self.type("show ready\r")
        self.wait_for(r"<<ready >>")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_while(self, seconds):
        """Reads until nothing arrives for some time."""
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                return

    def wait_for(self, pattern):
        """Reads until the pattern is on the screen. Returns the match; None after a timeout."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < end:
            plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][0-9A-B]|\x1b[=>]|\r", "", self.seen)
            found = re.search(pattern, plain)
            if found:
                return found
            self.read_while(0.1)
        return None

    def complete(self, typed):
        """Types a text and TAB, and returns the line that results."""
        self.read_while(0.1)
        self.seen = ""
        self.type(typed + "\t")
        self.read_while(0.4)
        # Run the line as arguments of `show`.
        self.type("\x01show \x05\r")
        found = self.wait_for(r"<<((?:cdpipe)[^<>]*) >>")
        if not found:
            self.type("\x03")
            return f"(nothing: {self.seen[-200:]!r})"
        # zsh removes the slash after a directory when the line goes on.
        return " ".join(found.group(1).split()).rstrip("/")

    def close(self):
        self.type("\x03exit\r")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def check(name, folder):
    """Tries all cases in a shell; returns the number of failures."""
    with tempfile.TemporaryDirectory() as home:
        terminal = Terminal(name, folder, home)
        failures = 0
        for typed, expected in CASES:
            line = terminal.complete(typed)
            if line != expected:
                failures += 1
                print(f"{name}: '{typed}' TAB: '{line}', not '{expected}'")
        terminal.close()
    print(f"{name}: {len(CASES) - failures} of {len(CASES)} completions")
    return failures


def main():
    folder = os.path.realpath(sys.argv[1])
    open(os.path.join(folder, "rejects.html"), "w", encoding="utf-8").close()
    names = sys.argv[2:] or list(SHELLS)
    missing = [name for name in names if not shutil.which(name)]
    for name in missing:
        print(f"{name}: not installed, not tried")
    failures = sum(check(name, folder) for name in names if name not in missing)
    sys.exit(1 if failures else 77 if missing else 0)


if __name__ == "__main__":
    main()
