"""Measures cdpipe-server under load: requests per second, latencies, errors and memory while rules are replaced ten
times; then again with ten thousand idle connections. The part `server`.

The server and wrk share the machine's cores. The rules have 10,000 generated keywords, the messages 160 characters.
"""

import argparse
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from measuring import HERE, ROOT, needed
from results import Part

SECONDS, CONNECTIONS = 60, 64
SWAPS = 10
REQUESTS_MIN = 20_000
P99_MAX = 20.0
# Memory counts as constant if, after a warm-up, the peak of the second half is at most this many times that of the
# first.
GROWTH_MAX = 1.10
IDLE = 10_000
IDLE_SECONDS = 5


def rules(name):
    """Returns a rule file with 10,000 keywords of four Chinese characters."""
    state = 1
    keywords = []
    while len(keywords) < 10_000:
        word = ""
        for _ in range(4):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            word += chr(0x4E00 + (state >> 33) % 20_000)
        keywords.append(word)
    return f"rules:\n  - name: {name}\n    action: junk\n    when: {{ body: {{ contains: [{', '.join(keywords)}] }} }}\n"


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


def start(options, path):
    """Starts the server on a port that the system chooses."""
    command = [options.server, "--port", "0", "--rules", path, "--rate", "0", "--poll", "0.2", "--idle-timeout", "300",
               "--max-client-connections", str(2 * IDLE)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        match = re.search(r"listening on [^ ]*:(\d+)", line)
        if match:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return server, int(match[1])
    sys.exit("the server did not start")


def metric(port, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
    return 0.0


def load(options, port, seconds):
    command = [
        "wrk", "-t", "1", "-c", str(options.connections), "-d", f"{seconds}s", "-s", str(HERE / "server/load.lua"),
        f"http://127.0.0.1:{port}/"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    match = re.search(r"^figures (.*)$", done.stdout, re.MULTILINE)
    return [float(figure) for figure in match[1].split()]


def connections(port, count):
    """Opens `count` connections that send nothing."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(count)]


def measure(name, options):
    server = ROOT / "Server/.build/release/cdpipe-server"
    if not needed(options, server, "wrk"):
        return None
    options = argparse.Namespace(
        cdpipe=options.cdpipe, server=str(server), seconds=2 if options.smoke else SECONDS, connections=CONNECTIONS,
        idle=100 if options.smoke else IDLE)
    with tempfile.TemporaryDirectory() as folder:
        compiled = []
        for index in range(2):
            source = os.path.join(folder, f"{index}.yaml")
            with open(source, "w", encoding="utf-8") as file:
                file.write(rules(f"rules-{index}"))
            compiled.append(os.path.join(folder, f"{index}.cdrules"))
            subprocess.run([options.cdpipe, "rules", "compile", source, "-o", compiled[-1]], check=True)
        path = os.path.join(folder, "rules.cdrules")
        subprocess.run(["cp", compiled[0], path], check=True)
        server, port = start(options, path)
        try:
            load(options, port, 2)
            memory = []
            over = threading.Event()

            def watch():
                began = time.monotonic()
                swaps = 0
                while not over.wait(0.1):
                    memory.append(resident(server.pid))
                    if swaps < SWAPS and time.monotonic() - began > (swaps + 0.5) * options.seconds / SWAPS:
                        swaps += 1
                        subprocess.run(["cp", compiled[swaps % 2], path + ".new"], check=True)
                        os.replace(path + ".new", path)

            watcher = threading.Thread(target=watch)
            watcher.start()
            requests, micros, errors, statuses, p50, p99, most = load(options, port, options.seconds)
            over.set()
            watcher.join()
            time.sleep(1)
            reloads = metric(port, 'cdpipe_server_reloads_total{part="rules",result="used"}')
            before = resident(server.pid)
            idle = connections(port, options.idle)
            crowded, crowded_micros, crowded_errors, crowded_statuses, _, crowded_p99, _ = load(
                options, port, IDLE_SECONDS)
            held = metric(port, "cdpipe_server_connections")
            after = resident(server.pid)
            for connection in idle:
                connection.close()
        finally:
            server.send_signal(signal.SIGTERM)
            status = server.wait(20)

    rate = requests / micros * 1e6
    half = len(memory) // 2
    early, late = max(memory[half // 5:half]), max(memory[half:])
    part = Part(name, seconds=options.seconds)
    part.text(f"{options.connections} connections, {options.seconds} s, {os.cpu_count()} cores for the server and wrk.")
    part.figure("requests per second", rate, at_least=REQUESTS_MIN)
    part.figure("latency, median", p50 / 1e3, "ms")
    part.figure("latency, 99th percentile", p99 / 1e3, "ms", at_most=P99_MAX)
    part.figure("latency, maximum", most / 1e3, "ms")
    part.figure(f"errors of {requests:,.0f}", errors + statuses, at_most=0)
    part.figure("rules replaced", reloads, at_least=0 if options.seconds < SECONDS else SWAPS)
    part.figure("memory, peak of the first half", early, "MiB")
    part.figure("memory, peak of the second half", late, "MiB", at_most=round(early * GROWTH_MAX, 1))
    part.figure(f"connections held, {options.idle:,} of them idle", held, at_least=options.idle)
    part.figure("memory of an idle connection", (after - before) * 1024 / options.idle, "KiB")
    part.figure("requests per second with idle connections", crowded / crowded_micros * 1e6)
    part.figure("latency with idle connections, 99th percentile", crowded_p99 / 1e3, "ms", at_most=P99_MAX)
    part.figure("errors with idle connections", crowded_errors + crowded_statuses, at_most=0)
    if status != 0:
        sys.exit(f"the server ended with {status}")
    return part
