#!/usr/bin/env python3
"""Progress and colours on a terminal, as a user sees them.

  terminal_checks.py CHECK [COLUMNS]

Runs `cdpipe` from the PATH in the working directory, under a pseudo-terminal. Nothing here depends on how fast it is: a
stage stands still because the program after it does not read, and goes on when a file appears.
"""

import os
import re
import signal
import sys

from terminal_screen import Session, width

# A line of progress: the names of stages, then figures.
PROGRESS = re.compile("^([^ ]+: )?(parse|normalize|sort|dedupe|subtract|emit)(, merging|, completing)? .*\\d")
# Reads its input only when the file `go` exists.
WAIT = "until [ -e go ]; do sleep 0.02; done"
STAGES = "cdpipe normalize --region CN | cdpipe sort | cdpipe dedupe | cdpipe subtract - allow.tsv"


def write_rows(name, count, bad=()):
    with open(name, "w") as rows:
        for row in range(count):
            number = "x" if row in bad else str(13800130000 + row * 7 % 90000000)
            rows.write('{"%s": "标签 %d"},\n' % (number, row % 500))


FIELDS = "cdpipe parse: 'rows.json': number from the key, label from the value"


def drawn(frame):
    return [line for line in frame if PROGRESS.match(line)]


def shows_progress(session):
    return bool(session.frames) and bool(drawn(session.frames[-1]))


def shows_merging(session):
    return shows_progress(session) and any("merging" in line for line in drawn(session.frames[-1]))


def shows_parse(session):
    return shows_progress(session) and drawn(session.frames[-1])[0].startswith("parse")


def shows_normalize(session):
    return shows_progress(session) and drawn(session.frames[-1])[0].startswith("normalize")


def has_erased(session):
    return not drawn(session.frames[-1])


def shown_width(line):
    return sum(width(character) for character in line)


def go():
    open("go", "w").close()


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def expect_clean(session, wraps=0):
    """The command has ended, and no progress is left on the screen. The terminal has wrapped as many lines as expected."""
    expect(not drawn(session.screen.lines), "progress was left on the screen:\n%s" % "\n".join(session.screen.lines))
    expect(session.screen.wraps == wraps, "%d lines were wrapped" % session.screen.wraps)


def fused(columns):
    """A run in one process: a line per stage, none as wide as the window."""
    # More rows than the pipe and the queues before it hold, so that sort is still merging when the reader waits.
    write_rows("rows.json", 400000)
    session = Session(
        "cdpipe run --pipe 'parse rows.json | normalize --region CN | sort' | (%s; wc -l >count)" % WAIT,
        columns, 12)
    session.until(shows_merging)
    for frame in session.frames:
        expect(all(shown_width(line) < columns for line in drawn(frame)), "too wide: %r" % frame)
        # Nothing else is shown but the message about the fields, which the terminal wraps.
        others = "".join(line for line in frame if not PROGRESS.match(line))
        expect(others in ("", FIELDS), "not progress: %r" % frame)
    merging = [line for line in drawn(session.frames[-1]) if "merging" in line]
    expect(re.search("[0-9] %", merging[0]), "no per cent while merging: %r" % merging)
    go()
    expect(session.finish() == 0, "status %d" % session.status)
    expect(open("count").read().strip() == "400000", "records were lost")
    expect_clean(session, wraps=1 if columns < len(FIELDS) else 0)


def resize(columns):
    """The window becomes narrower and lower while progress is shown: the lines follow."""
    write_rows("rows.json", 60000)
    session = Session("cdpipe parse rows.json | (%s; wc -l >count)" % WAIT, 200, 24)
    session.until(shows_progress)
    for columns, rows in [(40, 4), (80, 12), (24, 2)]:
        session.resize(columns, rows)
        count = len(session.frames)
        # The first drawing after it may have been on its way.
        session.until(lambda session, count=count: len(session.frames) > count + 2)
        lines = drawn(session.frames[-1])
        expect(len(lines) == 1, "not one line at %d columns: %r" % (columns, session.frames[-1]))
        expect(shown_width(lines[0]) < columns, "too wide for %d columns: %r" % (columns, lines))
    go()
    expect(session.finish() == 0, "status %d" % session.status)
    expect_clean(session)


def pipe(columns):
    """A pipe of six filters: one of them draws at a time, and what the others print stays."""
    # More rows than the filters hold, so that sort is still merging when the reader waits.
    write_rows("rows.json", 400000, bad=(3, 59990))
    open("allow.tsv", "w").close()
    session = Session(
        "cdpipe parse rows.json | %s | cdpipe emit --format tsv | (%s; wc -l >count)" % (STAGES, WAIT), columns, 24)
    session.until(shows_merging)
    go()
    expect(session.finish() == 0, "status %d" % session.status)
    for frame in session.frames:
        expect(len(drawn(frame)) <= 1, "two filters draw:\n%s" % "\n".join(frame))
    # The terminal wraps messages that are wider than it.
    text = "".join(session.screen.lines)
    for message in ["cdpipe normalize: row 59991: not a phone number: 'x'", "cdpipe normalize: rejected 2 of 400,000 rows"]:
        expect(message in text, "lost: %s\n%s" % (message, text))
    expect(not drawn(session.screen.lines), "progress was left on the screen:\n%s" % text)


def messages(columns):
    """Messages that are printed while progress is shown come before it, and stay whole: those of the filter that draws,
    and those of another one."""
    # Files only: a filter that knows how much is left draws before the others.
    write_rows("rows.json", 60000, bad=(59997, 59998, 59999))
    for options in ["", "--progress never"]:
        if os.path.exists("go"):
            os.remove("go")
        session = Session(
            "cdpipe parse %s rows.json | cdpipe normalize --region CN | (%s; cat >/dev/null)" % (options, WAIT),
            columns, 24)
        session.until(shows_normalize if options else shows_parse)
        go()
        expect(session.finish() == 0, "status %d" % session.status)
        text = "\n".join(session.screen.lines)
        expect(text.count("not a phone number: 'x'") == 3, "messages were lost:\n%s" % text)
        expect_clean(session)


def interrupt(columns):
    """Ctrl-C erases the progress and leaves the cursor at the start of an empty line."""
    write_rows("rows.json", 400000)
    open("allow.tsv", "w").close()
    for command, shown in [
        ("cdpipe parse rows.json", shows_progress),
        ("cdpipe parse rows.json | %s | cdpipe emit --format tsv" % STAGES, shows_merging),
    ]:
        if os.path.exists("go"):
            os.remove("go")
        session = Session("echo first; %s | (trap '' INT; %s)" % (command, WAIT), columns, 24)
        session.until(shown)
        session.type("\x03")
        # Only when the interruption has erased the progress: the reader could otherwise end the job before.
        session.until(has_erased)
        go()
        session.finish()
        expect(session.status == 130, "status %d" % session.status)
        expect(session.screen.lines[0] == "first", "the line before was erased: %r" % session.screen.lines)
        expect(not drawn(session.screen.lines), "progress was left: %r" % session.screen.lines)
        expect(session.screen.column == 0, "the cursor is at column %d" % session.screen.column)
    os.remove("go")
    session = Session("cdpipe run --pipe 'parse rows.json' | (trap '' INT; %s)" % WAIT, columns, 24)
    session.until(shows_progress)
    session.type("\x03")
    session.until(has_erased)
    go()
    session.finish()
    expect(session.status == 130, "status %d" % session.status)
    message = "cdpipe run: interrupted; temporary files are removed"
    shown = [line for line in session.screen.lines if line]
    expect(shown == [FIELDS, message], "run does not report it: %r" % shown)


def suspend(columns):
    """Ctrl-Z erases the progress and frees the terminal for others; it returns when the job continues."""
    write_rows("rows.json", 60000)
    write_rows("other.json", 60000)
    other = "cdpipe parse other.json | (%s; cat >/dev/null)" % WAIT.replace("go", "other-go")
    session = Session(
        "set -m; cdpipe parse rows.json | (%s; wc -l >count); echo stopped; %s; echo second; fg >/dev/null" % (WAIT, other),
        columns, 24)
    session.until(shows_progress)
    session.type("\x1a")
    session.until(lambda session: "stopped" in session.output.split("Stopped")[-1])
    count = len(session.frames)
    expect(not drawn(session.frames[-1]), "progress was left on the screen: %r" % session.frames[-1])
    session.until(lambda session: len(session.frames) > count and shows_progress(session))
    open("other-go", "w").close()
    session.until(lambda session: "second" in session.output and shows_progress(session))
    go()
    expect(session.finish() == 0, "status %d" % session.status)
    expect(open("count").read().strip() == "60000", "rows were lost")
    expect_clean(session)


def typed(columns):
    """A command that reads from the terminal announces it once, and no filter of its pipe draws while the user types."""
    session = Session("cdpipe parse | cdpipe normalize --region CN | (sleep 2; cat >out.tsv)", columns, 24)
    session.until(lambda session: "Ctrl-D" in session.output)
    session.type('{"0755-12345678": "one"},\n')
    session.type("\x04")
    expect(session.finish() == 0, "status %d" % session.status)
    announced = [line for line in session.screen.lines if "end with Ctrl-D" in line]
    expect(announced == ["cdpipe parse: reading from the terminal; end with Ctrl-D"], "announced: %r" % announced)
    expect(not any(drawn(frame) for frame in session.frames), "progress was drawn over what was typed")
    expect(open("out.tsv").read() == "8675512345678\tone\n", "the input was not read")
    # Other commands than filters announce it, too.
    os.system("printf '8613800138000\n' | cdpipe emit -q -o one.cdstore")
    for name, arguments in [("stats", "--format lines"), ("preview", "-"), ("lookup", "- one.cdstore")]:
        session = Session("cdpipe %s %s >out" % (name, arguments), columns, 24)
        session.until(lambda session: "Ctrl-D" in session.output)
        session.type("8613800138000\n")
        session.type("\x04")
        expect(session.finish() == 0, "%s: status %d" % (name, session.status))
        announced = [line for line in session.screen.lines if "end with Ctrl-D" in line]
        expect(announced == ["cdpipe %s: reading from the terminal; end with Ctrl-D" % name], "%r" % announced)


def quiet(columns):
    """With --quiet, with --progress never, on a dumb terminal, and while records are shown, nothing is drawn."""
    write_rows("rows.json", 60000)
    for options, term in [("--quiet", "xterm"), ("--progress never", "xterm"), ("", "dumb")]:
        session = Session("cdpipe parse %s rows.json | (sleep 1.5; cat >/dev/null)" % options, columns, 24, term)
        expect(session.finish() == 0, "status %d" % session.status)
        expect(not any(drawn(frame) for frame in session.frames), "%s %s: drawn" % (options, term))
        expect("\x1b" not in session.output, "%s %s: a control sequence" % (options, term))
    write_rows("few.json", 3000)
    session = Session("(sleep 0.5; cdpipe parse few.json) | cdpipe normalize --region CN", columns, 24)
    expect(session.finish() == 0, "status %d" % session.status)
    expect("\x1b" not in session.output, "drawn between records")
    # While another program reads single keys, and in the background.
    parse = "cdpipe parse rows.json | (%s; cat >/dev/null)" % "sleep 1.5"
    for command in ["stty -icanon; %s" % parse, "set -m; %s & sleep 2; wait" % parse]:
        session = Session(command, columns, 24)
        expect(session.finish() == 0, "status %d" % session.status)
        expect(not any(drawn(frame) for frame in session.frames), "%s: drawn" % command)
    # Not on a terminal, nothing is drawn either.
    session = Session("cdpipe parse rows.json 2>log | (sleep 1.5; cat >/dev/null)", columns, 24)
    expect(session.finish() == 0 and session.output == "", "written: %r" % session.output)
    expect(open("log").read() == "", "in the log: %r" % open("log").read())


def main():
    check = sys.argv[1]
    columns = int(sys.argv[2]) if len(sys.argv) > 2 else 80
    if os.path.exists("go"):
        os.remove("go")
    signal.alarm(580)
    try:
        globals()[check](columns)
    except AssertionError as error:
        print("%s at %d columns: %s" % (check, columns, error))
        sys.exit(1)


main()
