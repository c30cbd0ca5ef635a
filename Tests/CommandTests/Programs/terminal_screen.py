"""A small terminal: runs a command under a pseudo-terminal and keeps the screen that a user would see.

It knows what cdpipe writes: text with East Asian and combining characters, carriage returns, line feeds, cursor up,
erasing to the end of the line or the screen, and colours. Anything else is an error.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

ESCAPE = re.compile("\x1b\\[([0-9;]*)([A-Za-z])")


def width(character):
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """The characters on the screen and the lines that have scrolled off it."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [""]
        self.row = self.column = 0
        # The first line of the screen, as an index into `lines`.
        self.top = 0
        self.wraps = 0

    def put(self, character):
        if self.column + width(character) > self.columns:
            self.wraps += 1
            self.column = 0
            self.line_feed()
        cells = self.cells(self.lines[self.row])
        cells += [" "] * (self.column - len(cells))
        if width(character) == 0:
            if cells:
                cells[-1] += character
        else:
            cells[self.column : self.column + width(character)] = [character] + [""] * (width(character) - 1)
        self.lines[self.row] = "".join(cells)
        self.column += width(character)

    @staticmethod
    def cells(line):
        cells = []
        for character in line:
            if width(character) == 0 and cells:
                cells[-1] += character
            else:
                cells += [character] + [""] * (width(character) - 1)
        return cells

    def line_feed(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")
        self.top = max(self.top, self.row - self.rows + 1)

    def feed(self, text):
        """Draws a text; returns an incomplete control sequence at its end."""
        position = 0
        while position < len(text):
            character = text[position]
            if character == "\x1b":
                match = ESCAPE.match(text, position)
                if not match:
                    if len(text) - position < 12:
                        return text[position:]
                    raise ValueError("unknown control sequence %r" % text[position : position + 12])
                self.control(match.group(2), match.group(1))
                position = match.end()
                continue
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.line_feed()
            elif character == "\t":
                self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
            elif character >= " ":
                self.put(character)
            else:
                raise ValueError("control character %r" % character)
            position += 1
        return ""

    def control(self, name, argument):
        if name == "m":
            return
        if name == "A":
            self.row = max(self.top, self.row - int(argument or 1))
        elif name in "JK" and argument in ("", "0"):
            self.lines[self.row] = "".join(self.cells(self.lines[self.row])[: self.column])
            if name == "J":
                del self.lines[self.row + 1 :]
        else:
            raise ValueError("unknown control sequence %s%s" % (argument, name))

    def visible(self):
        return [line.rstrip() for line in self.lines[self.top : self.top + self.rows]]


class Session:
    """A command under a pseudo-terminal. `frames` has the screen after each piece of output."""

    def __init__(self, command, columns=80, rows=24, term="xterm", environment=None):
        self.screen = Screen(columns, rows)
        self.frames = []
        self.output = ""
        self.status = None
        self.rest = b""
        self.pending = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            try:
                set_size(0, columns, rows)
                full = dict(os.environ, TERM=term, **(environment or {}))
                os.execve("/bin/bash", ["bash", "-o", "pipefail", "-c", command], full)
            finally:
                os._exit(127)

    def resize(self, columns, rows):
        self.screen.columns, self.screen.rows = columns, rows
        set_size(self.terminal, columns, rows)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, seconds):
        """Reads what is there, waiting at most some seconds for it; returns False at the end."""
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        data = self.rest + data
        text = data.decode(errors="ignore")
        self.rest = data[len(text.encode()) :] if data.startswith(text.encode()) else b""
        self.output += text
        self.pending = self.screen.feed(self.pending + text)
        self.frames.append(self.screen.visible())
        return True

    def until(self, condition, seconds=200):
        """Reads until a condition on the session holds. Fails if it does not."""
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end or not self.read(0.05):
                raise AssertionError("it never happened; the screen was\n%s" % "\n".join(self.screen.visible()))

    def finish(self, seconds=200):
        """Reads to the end; returns the exit status as a shell has it."""
        end = time.monotonic() + seconds
        while self.read(0.05):
            if time.monotonic() > end:
                os.kill(self.process, signal.SIGKILL)
                raise AssertionError("it did not end; the screen was\n%s" % "\n".join(self.screen.visible()))
        _, status = os.waitpid(self.process, 0)
        os.close(self.terminal)
        self.status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        return self.status


def set_size(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
