"""Compiles the C++ and C programs that the benchmarks compare with or need. Not for Swift programs, which `make` builds."""

import subprocess

from measuring import needed


def can_include(options, header, package):
    """Whether the header of a Debian package is installed; if not, the measurement ends, unless it is a smoke run."""
    if not needed(options, "g++"):
        return False
    command = ["g++", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n".encode(), stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0 or needed(options, package)


def compiled(output, source, *command):
    """Compiles a program or library, unless it is newer than its source. Returns its path. Options that begin with `-l` follow the
    source."""
    if not output.exists() or output.stat().st_mtime < source.stat().st_mtime:
        libraries = [word for word in command if word.startswith("-l")]
        others = [word for word in command if not word.startswith("-l")]
        subprocess.run([*others, "-o", str(output), str(source), *libraries], check=True)
    return str(output)
