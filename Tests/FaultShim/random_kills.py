#!/usr/bin/env python3
"""Kills publishing runs at random moments, two at once in a quarter of the rounds, and checks the published folder.

    random_kills.py [KILLS] [--seed SEED] [--jobs N]

After every round, `current` is the version that was current before or one that a run of the round makes, complete: the
files that its manifest names are there with their sizes and hashes, and its CSV is, byte for byte, that of a list. Now
and then a run that is not killed must publish the newest list and leave no unfinished file. Ends with 1 if anything is
broken. The program is $CDPIPE, or `cdpipe` on the PATH.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(os.environ["CDPIPE"]) if "CDPIPE" in os.environ else shutil.which("cdpipe")
KEPT = 3
PIPELINE = f"""\
sources:
  - {{ name: one, url: one.json, region: CN }}
  - {{ name: two, path: two.tsv, parse: {{ format: tsv }}, region: CN, required: false }}
emit:
  - {{ format: store, max-entries: 100, bootstrap: 10 }}
  - {{ path: numbers.csv }}
publish: {{ directory: public, keep: {KEPT}, deltas: 2 }}
"""
FIRST = 13_800_130_000


class Broken(Exception):
    """The published folder is not as promised."""


class Site:
    """A folder in which versions are published."""

    def __init__(self, folder: pathlib.Path, seed: int) -> None:
        self.folder = folder
        self.public = folder / "public"
        self.random = random.Random(seed)
        self.lists: list[bytes] = []
        self.whole = 1.0
        self.kills = self.rounds = self.pairs = self.new = 0
        (folder / "nightly.yaml").write_text(PIPELINE)
        (folder / "two.tsv").write_text("13800139999\tcompany\n")

    def change(self) -> None:
        """Writes a list that differs from those before; a list is replaced by a rename, as a run may be reading it."""
        numbers = sorted(self.random.sample(range(600), self.random.randint(150, 350)))
        rows = [(FIRST + number, f"label {self.random.randint(0, 5)}") for number in numbers]
        text = json.dumps({str(number): label for number, label in rows})
        (self.folder / "new.json").write_text(text)
        os.replace(self.folder / "new.json", self.folder / "one.json")
        lines = [f"86{number},{label},," for number, label in rows] + ["8613800139999,company,,"]
        self.lists = [*self.lists[-3:], "\r\n".join(["number,label,source,score", *lines, ""]).encode()]

    def start(self) -> subprocess.Popen:
        """Starts a run."""
        return subprocess.Popen(
            [PROGRAM, "run", "--quiet", "nightly.yaml"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def end(self, run: subprocess.Popen, statuses: set[int]) -> int:
        """Waits for a run and returns its status, which must be one of these."""
        errors = run.communicate(timeout=300)[1].decode(errors="replace")
        if run.returncode not in statuses:
            raise Broken(f"status {run.returncode}: {errors}")
        return run.returncode

    def check(self) -> bytes:
        """Checks every byte of the current version, and returns its CSV."""
        link = os.readlink(self.public / "current")
        version = self.public / link
        if not link.startswith("versions/") or len(link) != 73 or not version.is_dir():
            raise Broken(f"current leads to {link}")
        text = (version / "manifest.json").read_bytes()
        if (self.public / "manifest.json").read_bytes() != text:
            raise Broken("manifest.json is not the current version's")
        named = {}
        manifest = json.loads(text)
        self.files([manifest["shards"], manifest["bootstrap"]], named)
        if not named:
            raise Broken("the manifest names no file")
        for name, (size, sha256) in named.items():
            content = (version / name).read_bytes()
            if len(content) != size or hashlib.sha256(content).hexdigest() != sha256:
                raise Broken(f"{link}/{name} is not what the manifest describes")
        return (version / "numbers.csv").read_bytes()

    def files(self, value: object, named: dict[str, tuple[int, str]]) -> None:
        """Collects the files that a manifest names, with their sizes and hashes."""
        if isinstance(value, dict):
            if "sha256" in value and "bytes" in value and "name" in value:
                named[value["name"]] = (value["bytes"], value["sha256"])
            for inner in value.values():
                self.files(inner, named)
        elif isinstance(value, list):
            for inner in value:
                self.files(inner, named)

    def recover(self) -> None:
        """A run that is not killed publishes the newest list."""
        start = time.monotonic()
        self.end(self.start(), {0})
        self.whole = 0.5 * self.whole + 0.5 * (time.monotonic() - start)
        if self.check() != self.lists[-1]:
            raise Broken("the current version is not the newest list's")
        unfinished = [path for path in self.public.rglob(".*.tmp")]
        versions = os.listdir(self.public / "versions")
        if unfinished or len(versions) > KEPT:
            raise Broken(f"left over: {unfinished}, {len(versions)} versions")

    def round(self) -> None:
        """Kills one run, or one or both of two."""
        before = self.check()
        self.change()
        self.rounds += 1
        is_pair = self.random.random() < 0.25
        self.pairs += is_pair
        runs = [self.start()]
        if is_pair:
            time.sleep(self.whole * self.random.random() * 0.5)
            runs.append(self.start())
        # Most of a run's changes to the folder are in its last third.
        start = self.random.choice([0, 0.6])
        time.sleep(self.whole * self.random.uniform(start, 1.1))
        for run in runs:
            if len(runs) == 1 or self.random.random() < 0.75:
                with contextlib.suppress(ProcessLookupError):
                    run.send_signal(signal.SIGKILL)
            if is_pair:
                time.sleep(self.whole * self.random.random() * 0.2)
        allowed = {0, -signal.SIGKILL} | ({75} if is_pair else set())
        self.kills += sum(self.end(run, allowed) == -signal.SIGKILL for run in runs)
        after = self.check()
        if after not in (before, self.lists[-1]):
            raise Broken("the current version is neither the one before nor the new one")
        self.new += after != before


def work(kills: int, seed: int) -> tuple[Site, str | None]:
    """Kills runs in a folder of its own. Returns the site, and what is broken."""
    with tempfile.TemporaryDirectory(prefix="cdpipe-kills-") as folder:
        site = Site(pathlib.Path(folder), seed)
        try:
            for _ in range(KEPT):
                site.change()
                site.recover()
            while site.kills < kills:
                site.round()
                if site.rounds % 10 == 0:
                    site.recover()
            site.recover()
        except (Broken, OSError, ValueError, subprocess.TimeoutExpired) as error:
            return site, f"after {site.kills} kills, seed {seed}: {type(error).__name__}: {error}"
        return site, None


def main() -> int:
    """Runs the sites side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    options = parser.parse_args()
    each = -(-options.kills // options.jobs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ended = list(pool.map(work, [each] * options.jobs, range(options.seed, options.seed + options.jobs)))
    kills, rounds, pairs, new = (
        sum(getattr(site, name) for site, _ in ended) for name in ("kills", "rounds", "pairs", "new")
    )
    broken = [text for _, text in ended if text]
    print(
        f"{kills} runs killed in {rounds} rounds, {pairs} of them with two runs at once; "
        f"{new} rounds published; {len(broken)} broken (seed {options.seed})"
    )
    for text in broken:
        print(text, file=sys.stderr)
    if not broken:
        print(f"passed: {kills} killed runs")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
