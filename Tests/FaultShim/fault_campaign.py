#!/usr/bin/env python3
"""Makes every system call of publishing runs fail once, and kills each run once before every call.

    Tests/FaultShim/fault_campaign.py [--runs N [--seed N]] [--scenario NAME] [--jobs N]

The calls of a run are counted with fault_shim.c. Then the run is repeated in copies of its folder: for each call with
EIO, ENOSPC, EMFILE, EINTR, a short transfer, and SIGKILL before it. After every run, the current version must be the
complete old or new one. A run that fails must have a status of the machine (74), one that succeeds must have published
what a run without a fault publishes, and the next run must complete the work.

Prints a table of call, fault and status, after every run that was wrong. Exits 1 if there is one. --runs N makes a random
sample of N runs. CDPIPE names the program (default: .build/release/cdpipe). Linux only.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from fault_scenarios import SCENARIOS, Lists, Scenario

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAULTS = ["EIO", "ENOSPC", "EMFILE", "EINTR", "short", "kill"]
SHORT_CALLS = {"read", "pread", "write", "pwrite", "send", "recv", "copy_file_range", "sendfile"}
RUN_SECONDS_MAX = 300
# Calls that the kernel never interrupts.
UNINTERRUPTED = {"mmap", "fstat", "fopen", "fdopendir", "lseek", "socket"}
# Between two hosts, a call that fails is like a peer that is gone (69), unless no socket can be made.
PEER_CALLS = {"connect", "send", "recv", "getaddrinfo"}


def without_sources(manifest):
    """A manifest without its sources: one that could not be read a second time has no hash there."""
    fields = json.loads(manifest)
    fields.pop("sources", None)
    return json.dumps(fields, sort_keys=True).encode()


def current(folder):
    """The files of the current version, with their hashes; None without one."""
    version = os.path.join(folder, "public", "current")
    if not os.path.islink(version):
        return None
    files = {}
    for directory, _, names in os.walk(os.path.realpath(version)):
        for name in names:
            with open(os.path.join(directory, name), "rb") as file:
                path = os.path.relpath(file.name, os.path.realpath(version))
                content = file.read()
            # A lock file that could not be removed is not part of the version.
            if path != ".lock":
                files[path] = hashlib.sha256(without_sources(content) if name == "manifest.json" else content).hexdigest()
    files["/"] = os.readlink(version)
    return files


def leftovers(folder):
    """Temporary files, which a run without a fault removes."""
    return [name for _, folders, files in os.walk(folder) for name in folders + files if re.match(r"\..*\.tmp$", name)]


class Campaign:
    def __init__(self, cdpipe, folder):
        self.cdpipe = cdpipe
        self.folder = folder
        self.shim = os.path.join(folder, "fault_shim.so")
        source = os.path.join(ROOT, "Tests/FaultShim/fault_shim.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.shim, source, "-ldl"], check=True)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lists)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.table = collections.defaultdict(collections.Counter)
        self.wrong = []
        self.broken = []
        self.runs = 0

    def run(self, command, folder, **environment):
        environment = {**os.environ, "TMPDIR": folder, "no_proxy": "*", **environment}
        return subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS_MAX)

    def check(self, command, folder, **environment):
        done = self.run(command, folder, **environment)
        if done.returncode != 0:
            sys.exit("%s: %s: %s" % (" ".join(command), done.returncode, done.stdout.decode(errors="replace")))

    def copy(self, scenario):
        folder = tempfile.mkdtemp(dir=self.folder)
        os.rmdir(folder)
        shutil.copytree(scenario.folder, folder, symlinks=True)
        return folder

    def start(self, scenario):
        """Runs without a fault. Returns the calls: function and number."""
        scenario.old = current(scenario.folder)
        folder = self.copy(scenario)
        log = os.path.join(folder, "calls")
        self.check([self.cdpipe, *scenario.arguments], folder, LD_PRELOAD=self.shim, FAULT_SHIM_CALLS=log)
        scenario.new = current(folder)
        with open(log, errors="replace") as file:
            counts = collections.Counter(line.split(" ")[1] for line in file)
        shutil.rmtree(folder)
        return [(function, number + 1) for function in sorted(counts) for number in range(counts[function])]

    def attempt(self, scenario, function, number, fault):
        """One run with a fault, and the next one without. Returns what is wrong with it, if anything."""
        folder = self.copy(scenario)
        action = fault if fault in ("short", "kill") else "errno=" + fault
        try:
            done = self.run(
                [self.cdpipe, *scenario.arguments], folder, LD_PRELOAD=self.shim,
                FAULT_SHIM_DO="%s:%s@%d" % (function, action, number))
            text = done.stdout.decode(errors="replace").strip()
            status = done.returncode
            after = current(folder)
            self.table[function, fault]["killed" if status == -signal.SIGKILL else status] += 1
            is_replaced = function in PEER_CALLS and status == 0 and "last good copy" in text
            if is_replaced:
                stores = glob.glob(os.path.join(folder, "public/current/*.cdstore"))
                self.check([self.cdpipe, "verify", "--quiet", *stores], folder)
            elif after != scenario.old and after != scenario.new:
                self.note(self.broken, "broken", scenario.name, function, number, fault, status, text)
            elif not self.is_right(scenario, function, fault, status, after, text):
                self.note(self.wrong, "wrong", scenario.name, function, number, fault, status, text)
            self.recover(scenario, folder, after, is_replaced, (scenario.name, function, number, fault, status))
        except subprocess.TimeoutExpired:
            self.note(self.wrong, "wrong", scenario.name, function, number, fault, "hangs")
        finally:
            shutil.rmtree(folder)
        self.runs += 1

    def note(self, runs, title, *words):
        runs.append(words)
        print("%s: %s" % (title, " ".join(str(word) for word in words)), flush=True)

    def is_right(self, scenario, function, fault, status, after, text):
        if fault == "kill":
            # The call may not occur, such as in another order of threads.
            return status == -signal.SIGKILL or (status == 0 and after == scenario.new)
        if status == 0:
            return after == scenario.new
        if fault in ("EINTR", "short") and function not in PEER_CALLS:
            return False
        if status == 69 and function in PEER_CALLS:
            return True
        # The reports are written after the version has become current.
        is_later = any(words in text for words in ("might be lost", "'report.json'", "'metrics.prom'"))
        return status == 74 and (after == scenario.old or after == scenario.new and is_later)

    def recover(self, scenario, folder, after, is_replaced, fault):
        """The next run ends well and leaves no files of its own."""
        is_rollback = scenario.arguments[0] == "rollback"
        done = self.run([self.cdpipe, *(Scenario if is_rollback else scenario).arguments], folder)
        wanted = after if is_rollback else scenario.new
        left = leftovers(folder)
        # After a version with a last good copy, the deltas are others.
        is_wanted = is_replaced or current(folder) == wanted
        if done.returncode != 0 or not is_wanted or left:
            text = "next run: %d %s %s" % (done.returncode, done.stdout.decode(errors="replace").strip(), left)
            self.note(self.broken, "broken", *fault, text)

    def print_table(self):
        print("%-16s %s" % ("call", "".join("%-22s" % fault for fault in FAULTS)))
        for function in sorted({function for function, _ in self.table}):
            cells = []
            for fault in FAULTS:
                counts = self.table.get((function, fault), {})
                cells.append(" ".join("%s:%d" % (status, counts[status]) for status in sorted(counts, key=str)))
            print(("%-16s %s" % (function, "".join("%-22s" % cell for cell in cells))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--scenario", choices=[scenario.__name__ for scenario in SCENARIOS])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    arguments = parser.parse_args()
    cdpipe = os.path.abspath(os.environ.get("CDPIPE") or os.path.join(ROOT, ".build/release/cdpipe"))
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(cdpipe, folder)
        faults = []
        for kind in SCENARIOS:
            if arguments.scenario not in (None, kind.__name__):
                continue
            scenario = kind(campaign)
            calls = campaign.start(scenario)
            faults += [
                (scenario, function, number, fault)
                for function, number in calls for fault in FAULTS
                if not (fault == "short" and function not in SHORT_CALLS)
                and not (fault == "EINTR" and function in UNINTERRUPTED)
            ]
        if arguments.runs:
            faults = random.Random(arguments.seed).sample(faults, min(arguments.runs, len(faults)))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for _ in pool.map(lambda fault: campaign.attempt(*fault), faults):
                pass
        if not arguments.runs:
            campaign.print_table()
        seed = ", seed %d" % arguments.seed if arguments.runs else ""
        print("%d runs: %d broken versions, %d wrong statuses%s" % (campaign.runs, len(campaign.broken), len(campaign.wrong), seed))
        if campaign.broken or campaign.wrong:
            return 1
        print("passed: %d failing system calls" % campaign.runs)
        return 0


if __name__ == "__main__":
    sys.exit(main())
