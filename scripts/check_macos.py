#!/usr/bin/env python3
"""Compiles the C and Swift sources for macOS, and the C sources for iOS, on Linux. `make check-macos` runs it.

    scripts/check_macos.py HEADERS [MODULE...]

HEADERS is the folder with Apple's open headers, as PyPI's ziglang has it. MODULEs are checked with what they import;
without any, all below Sources are. Nothing is linked or run.

C: clang for macOS 15 and iOS 13. Swift: a toolchain for Linux has no standard library for macOS, so the sources are
compiled for Linux, but with Apple's headers (`-clang-target`), scripts/darwin/Darwin.swift over them, and the conditions
of macOS: `os(Linux)` and `canImport(Glibc)` are false in the copies that are compiled.

It finds what Apple's C library lacks or declares otherwise. It does not see: linking and running; Foundation, which is
that of Linux, and Apple's frameworks, such as CallKit and CryptoKit; what iOS compiles in Swift; parts of Swift's library
that older systems lack; tests and sample apps. The job `macos` in .github/workflows/ci.yml builds all of these on a Mac.

At the end it checks itself: it must report each of ten lines that are for Linux only.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build/macos"
OVERLAY = ROOT / "scripts/darwin"
COPIES = WORK / "sources"
MODULES = WORK / "modules"
TOOLCHAIN = pathlib.Path(shutil.which("swift")).resolve().parent
SYSTEMS = ["arm64-apple-macosx15.0", "arm64-apple-ios13.0"]
# That of Xcode 26, for `canImport(Darwin, _version: …)`.
DARWIN_VERSION = "346"
# Headers of libraries that a Mac has in its SDK or from Homebrew.
LIBRARY_HEADERS = ["curl", "expat.h", "expat_external.h", "sqlite3.h", "yaml.h", "zip.h", "zipconf.h"]
# The packages' targets that only Apple's own modules can compile.
EXCLUDED = re.compile(r"Sources/Phone/Frameworks/|\.docc/|/MachPort\.swift$")
# The packages whose conditions are macOS'. The others need modules of Apple there, and little of the C library.
CONDITIONED = (ROOT.name, "swift-system")
CONDITION = re.compile(r"^\s*#(if|elseif)\b")
CONDITIONS = [
    ("os(Linux)", "os(Windows)"),
    ("os(macOS)", "os(Linux)"),
    ("canImport(Glibc)", "canImport(LinuxOnly)"),
    ("canImport(FoundationEssentials)", "canImport(LinuxOnly)"),
]
DIAGNOSTIC = re.compile(r"^(\S[^:]*):(\d+):\d+: (error|warning): (.*)")

# Lines that compile on Linux, each of which must be reported.
PLANTED_SWIFT = """\
func lastChange(_ status: stat) -> Int { status.st_mtim.tv_sec }
func sinceBoot(_ time: inout timespec) { clock_gettime(CLOCK_BOOTTIME, &time) }
func advise(_ file: Int32) -> Int32 { posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL) }
func addresses() -> Int32 { Int32(RLIMIT_AS.rawValue) }
func own() -> pthread_t { 0 }
func handler(_ action: sigaction) -> Bool { action.__sigaction_handler.sa_handler == nil }
""".splitlines()
PLANTED_IMPORT = "import Glibc"
C_HEAD = ["#define _GNU_SOURCE", "#include <fcntl.h>", "#include <stdio.h>", "#include <unistd.h>"]
PLANTED_C = """\
int exchange(const char *a, const char *b) { return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE); }
int sync_all(int file) { return syncfs(file); }
int grow(int pipe) { return fcntl(pipe, F_SETPIPE_SZ, 1 << 20); }
""".splitlines()


class Target:
    """A target of a package, as `swift package dump-package` describes it."""

    def __init__(self, package, described):
        self.name, self.package = described["name"], package.name
        self.path = package / (described.get("path") or f"Sources/{self.name}")
        excluded = [self.path / name for name in described["exclude"]]
        roots = [self.path / name for name in described.get("sources") or ["."]]
        files = sorted({file for root in roots for file in ([root] if root.is_file() else root.rglob("*"))})
        files = [file for file in files if not any(file.is_relative_to(folder) for folder in excluded)]
        self.swift = [file for file in files if file.suffix == ".swift" and not EXCLUDED.search(str(file))]
        self.c = [file for file in files if file.suffix == ".c"]
        self.uses = [names[0] for dependency in described["dependencies"] for names in dependency.values()]
        self.flags = [flag for setting in described["settings"] for flag in swift_flags(setting)]
        self.flags += ["-package-name", package.name]
        if package != ROOT:
            self.flags.append("-suppress-warnings")

    def module_map(self):
        """The module of a target in C: its own, or one of all of its headers."""
        include = self.path / "include"
        if (include / "module.modulemap").exists():
            return include / "module.modulemap"
        path = WORK / f"{self.name}.modulemap"
        header = include / f"{self.name}.h"
        umbrella = f'umbrella header "{header}"' if header.exists() else f'umbrella "{include}"'
        path.write_text(f"module {self.name} {{ {umbrella} export * }}\n")
        return path


def swift_flags(setting):
    """The compiler's flags for a setting, if macOS has it."""
    platforms = (setting.get("condition") or {}).get("platformNames") or ["macos"]
    if setting["tool"] != "swift" or "macos" not in platforms:
        return []
    for kind, value in setting["kind"].items():
        value = value.get("_0")
        if kind == "enableUpcomingFeature":
            return ["-enable-upcoming-feature", value]
        if kind == "enableExperimentalFeature":
            return ["-enable-experimental-feature", value]
        if kind == "swiftLanguageMode":
            return ["-swift-version", value]
        if kind == "define":
            return ["-D", value]
        if kind == "strictMemorySafety":
            return ["-strict-memory-safety"]
    return []


def fail(text):
    sys.exit(f"check_macos.py: {text}")


def run(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, cwd=ROOT)


def targets():
    """The targets of this package and of its dependencies, by name. Those of this package are first."""
    scratch = WORK / "packages"
    resolved = run("swift", "package", "--traits", "Tool", "--scratch-path", scratch, "resolve")
    if resolved.returncode:
        fail(resolved.stderr)
    found = {}
    for package in [ROOT, *sorted((scratch / "checkouts").iterdir())]:
        dump = run("swift", "package", "--package-path", package, "--scratch-path", scratch / package.name, "dump-package")
        if dump.returncode:
            fail(dump.stderr)
        described = json.loads(dump.stdout)
        for target in described["targets"]:
            if target["type"] in ("regular", "executable"):
                found.setdefault(target["name"], Target(package, target))
    return found


def copied(file):
    """A copy of a Swift source with the conditions of macOS. Its lines have the same numbers."""
    lines = file.read_text().split("\n")
    for index, line in enumerate(lines):
        if CONDITION.match(line):
            for linux, mac in CONDITIONS:
                lines[index] = lines[index].replace(linux, mac)
        elif re.match(r"\s*(@\w+ |public |package |internal |private )*import Glibc\b", line):
            lines[index] = line.replace("Glibc", "LinuxOnly")
    copy = COPIES / file.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text("\n".join(lines))
    return copy


def reported(output):
    """The errors and warnings of a compiler, as (place, line, text), without those of the headers."""
    found = []
    for line in output.splitlines():
        if match := DIAGNOSTIC.match(line):
            path = os.path.relpath(match[1], ROOT).replace(os.path.relpath(COPIES, ROOT) + "/", "")
            found.append((path, int(match[2]), match[4]))
    return sorted(set(found))


class Checker:
    """Compiles targets, each after those that it imports."""

    def __init__(self, headers, found):
        self.targets = found
        resources = run(TOOLCHAIN / "clang", "-print-resource-dir").stdout.strip()
        system = [f"{resources}/include", headers, WORK / "libraries"]
        self.c_flags = [flag for folder in system for flag in ("-isystem", str(folder))]
        # The targets that do not compile, and those that are not checked, because they import one of them.
        self.failed, self.skipped = set(), set()

    def closure(self, name):
        """The targets that a target imports, directly or not."""
        names = []
        for used in self.targets[name].uses:
            if used in self.targets:
                names += [*self.closure(used), used]
        return list(dict.fromkeys(names))

    def compile_c(self, file, target, includes):
        flags = ["-fsyntax-only", "-Wall", "-Wextra", "-nostdinc", "-target", target]
        done = run(TOOLCHAIN / "clang", *flags, *self.c_flags, *includes, file)
        return reported(done.stderr) or ([] if done.returncode == 0 else [(str(file), 0, done.stderr)])

    def compile_swift(self, name, files, flags=()):
        """Compiles files as a module. Returns what the compiler reports."""
        clang = [argument for flag in ["-nostdlibinc", *self.c_flags] for argument in ("-Xcc", flag)]
        done = run(
            TOOLCHAIN / "swiftc", "-frontend", "-emit-module", "-module-name", name.replace("-", "_"),
            "-o", MODULES / f"{name}.swiftmodule", "-target", "x86_64-unknown-linux-gnu", "-clang-target", SYSTEMS[0],
            "-vfsoverlay", WORK / "shims.yaml", "-I", OVERLAY, "-I", MODULES,
            "-module-cache-path", WORK / "cache", *clang, *flags, *files,
        )  # fmt: skip
        (WORK / f"{name}.log").write_text(done.stderr)
        return reported(done.stderr) or ([] if done.returncode == 0 else [(name, 0, done.stderr[-2000:])])

    def check(self, name):
        """Checks a target, if what it imports is right. Returns what is wrong."""
        target, used = self.targets[name], self.closure(name)
        if self.failed.intersection(used):
            self.skipped.add(name)
            return []
        c_targets = [self.targets[other] for other in used if not self.targets[other].swift]
        wrong = []
        if target.swift:
            flags = list(target.flags)
            for other in c_targets:
                if (other.path / "include").exists():
                    flags += ["-Xcc", f"-fmodule-map-file={other.module_map()}", "-Xcc", f"-I{other.path / 'include'}"]
            if not any(file.name == "main.swift" for file in target.swift):
                flags.append("-parse-as-library")
            files = [copied(file) for file in target.swift] if target.package in CONDITIONED else target.swift
            wrong = self.compile_swift(name, files, flags)
        includes = [f"-I{other.path / 'include'}" for other in [target, *c_targets]]
        for file in target.c:
            for system in SYSTEMS:
                wrong += self.compile_c(file, system, includes)
        if wrong:
            self.failed.add(name)
        return wrong

    def check_all(self, names):
        """Checks targets and what they import, in parallel, and prints what is wrong. Returns their number."""
        wanted = list(dict.fromkeys(other for name in names for other in [*self.closure(name), name]))
        jobs = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name in wanted:
                jobs[name] = pool.submit(self.check_after, [jobs[other] for other in self.closure(name)], name)
            for name in wanted:
                for path, line, text in jobs[name].result():
                    print(f"{path}:{line}: {text}")
        return len(wanted)

    def check_after(self, used, name):
        concurrent.futures.wait(used)
        return self.check(name)

    def check_planted(self):
        """Compiles lines that are for Linux only. Returns those that were not reported."""
        swift, imported, c = COPIES / "Planted.swift", COPIES / "Imported.swift", COPIES / "planted.c"
        swift.write_text("\n".join(["import Darwin", *PLANTED_SWIFT]))
        imported.write_text(PLANTED_IMPORT)
        c.write_text("\n".join([*C_HEAD, *PLANTED_C]))
        lines = {line for _, line, _ in self.compile_swift("Planted", [swift])}
        missed = [text for index, text in enumerate(PLANTED_SWIFT) if index + 2 not in lines]
        lines = {line for _, line, _ in self.compile_c(c, SYSTEMS[0], [])}
        missed += [text for index, text in enumerate(PLANTED_C) if index + 1 + len(C_HEAD) not in lines]
        if not self.compile_swift("Imported", [copied(imported)]):
            missed.append(PLANTED_IMPORT)
        return missed


def prepare():
    """Makes the folder with the headers of libraries, and hides the modules of Linux' C library."""
    for folder in (COPIES, MODULES, WORK / "libraries"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for name in LIBRARY_HEADERS:
        found = [path for folder in ("/usr/include", *map(str, pathlib.Path("/usr/include").glob("*-linux-gnu")))
                 if (path := pathlib.Path(folder) / name).exists()]  # fmt: skip
        if not found:
            fail(f"'{name}' is missing\n  hint: scripts/system-packages.sh")
        (WORK / "libraries" / name).symlink_to(found[0])
    shim = "_SynchronizationShims.h"
    replaced = {
        "name": str(TOOLCHAIN.parent / "lib/swift/shims" / shim),
        "type": "file",
        "external-contents": str(OVERLAY / shim),
    }
    (WORK / "shims.yaml").write_text(json.dumps({"version": 0, "roots": [replaced]}))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    headers = pathlib.Path(sys.argv[1]).resolve()
    if not (headers / "TargetConditionals.h").exists():
        fail(f"'{headers}' has no headers of Apple\n  hint: make check-macos")
    prepare()
    found = targets()
    sources = [
        name
        for name, target in found.items()
        if str(target.path.relative_to(ROOT)).startswith("Sources/") and not EXCLUDED.search(f"{target.path}/")
    ]
    checker = Checker(headers, found)
    # Foundation exports the C library by its name on Linux.
    (COPIES / "Glibc.swift").write_text("@_exported import Darwin")
    flags = ["-parse-as-library", "-user-module-version", DARWIN_VERSION]
    for name, file in (("Darwin", OVERLAY / "Darwin.swift"), ("Glibc", COPIES / "Glibc.swift")):
        if wrong := checker.compile_swift(name, [file], flags):
            fail(f"scripts/darwin does not compile: {wrong}")
    names = sys.argv[2:] or sources
    count = checker.check_all(names)
    missed = checker.check_planted()
    for line in missed:
        print(f"not reported, but only for Linux: {line}")
    if checker.failed:
        fail(
            f"of {count} targets, these do not compile for macOS: {' '.join(sorted(checker.failed))}; "
            f"{len(checker.skipped)} that import them were not checked"
        )
    if missed:
        fail("this check is broken")
    print(f"found: {len([*PLANTED_SWIFT, *PLANTED_C, PLANTED_IMPORT])} planted lines that are for Linux only")
    print(f"passed: {count} targets for macOS")


if __name__ == "__main__":
    main()
