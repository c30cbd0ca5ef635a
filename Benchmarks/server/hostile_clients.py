#!/usr/bin/env python3
"""Serves well-behaved clients while hostile clients use all that they can get.

One hostile client, or with --hostile more of them together, keep trying to hold 10,000 idle connections, 10,000
requests with unfinished bodies, and 1,000 downloads that they do not read. Meanwhile, 32 other clients send message
queries, look numbers up and download lists, and the rules and lists are replaced. Each client has its own loopback
address.

Exits with 1 if the server's memory reaches half of the systemd unit's MemoryMax or grows from the second third of the
run to the last, if the other clients' 99th percentile is over the limit, or if one of their requests fails.
"""

import argparse
import http.client
import itertools
import multiprocessing
import os
import pathlib
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

UNIT = pathlib.Path(__file__).resolve().parents[2] / "Server" / "cdpipe-server.service"
# What the hostile client tries to hold.
ATTACKS = {"idle": 10_000, "body": 10_000, "download": 1_000}
# Connections that it opens per second and attack. It opens each again when the server has closed it.
OPENINGS_PER_SECOND = 400
CLIENTS = 32
REQUESTS_PER_SECOND = 400
GROWTH_MAX = 1.10
SAMPLE_SECONDS = 0.2

QUERY = b'{"_version":1,"query":{"sender":"14085550001","message":{"text":"casino"}},"app":{"version":"1.1"}}'
BODY = b"POST /message-filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 131072\r\n\r\n"
FIRST = {
    "idle": b"",
    "body": BODY + b" " * 100_000,
    "download": b"GET /lists/big.cdstore HTTP/1.1\r\nHost: x\r\n\r\n",
}
# Method, path, body, header fields and expected status of what the other clients send one after another.
REQUESTS = [
    ("GET", "/lookup/1001", None, {}, 200),
    ("GET", "/lists/manifest.json", None, {}, 200),
    ("GET", "/lists/big.cdstore", None, {"Range": "bytes=1000000-1000999"}, 206),
    *[("POST", "/message-filter", QUERY, {"Content-Type": "application/json"}, 200)] * 5,
]


def memory_max():
    """Returns the unit's MemoryMax in bytes."""
    number, unit = re.search(r"^MemoryMax=(\d+)([KMG])$", UNIT.read_text(encoding="utf-8"), re.MULTILINE).groups()
    return int(number) << {"K": 10, "M": 20, "G": 30}[unit]


def resident(pid):
    """Returns a process's resident memory in bytes."""
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize()


def attack(port, kind, hostile, held):
    """Keeps opening connections from `hostile` addresses until it is killed, and reports how many it holds."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    events = select.epoll()
    # Without EPOLLIN, nothing is read; errors and the end of the connection are always reported.
    watched = 0 if kind == "download" else select.EPOLLIN
    connections = {}
    addresses = itertools.cycle(f"127.0.2.{client + 1}" for client in range(hostile))

    def close(descriptor):
        connections.pop(descriptor).close()

    while True:
        began = time.monotonic()
        for _ in range(min(ATTACKS[kind] - len(connections), OPENINGS_PER_SECOND // 20)):
            connection = socket.socket()
            connection.setblocking(False)
            try:
                connection.bind((next(addresses), 0))
                connection.connect_ex(("127.0.0.1", port))
            except OSError:
                connection.close()
                break
            connections[connection.fileno()] = connection
            events.register(connection.fileno(), select.EPOLLOUT)
        for descriptor, event in events.poll(0):
            if event & (select.EPOLLERR | select.EPOLLHUP):
                close(descriptor)
                continue
            try:
                if event & select.EPOLLOUT:
                    connections[descriptor].send(FIRST[kind])
                    events.modify(descriptor, watched)
                elif not connections[descriptor].recv(65_536):
                    close(descriptor)
            except OSError:
                close(descriptor)
        held.value = len(connections)
        time.sleep(max(0.0, 0.05 - (time.monotonic() - began)))


def serve(port, seconds, results):
    """Sends the requests of well-behaved clients one after another; puts their latencies and failures."""
    latencies = []
    failures = []
    clients = {}
    until = time.monotonic() + seconds
    for index in itertools.count():
        began = time.monotonic()
        if began > until:
            break
        address = f"127.0.1.{index % CLIENTS + 1}"
        if address not in clients:
            clients[address] = http.client.HTTPConnection(
                "127.0.0.1", port, timeout=20, source_address=(address, 0))
        client = clients[address]
        method, path, body, headers, expected = REQUESTS[index // CLIENTS % len(REQUESTS)]
        try:
            client.request(method, path, body, headers)
            answer = client.getresponse()
            answer.read()
            if answer.status != expected:
                failures.append(f"{path}: {answer.status}")
        except OSError as error:
            failures.append(f"{path}: {error!r}")
            clients.pop(address).close()
        took = time.monotonic() - began
        latencies.append(took)
        time.sleep(max(0.0, 1 / REQUESTS_PER_SECOND - took))
    results.put((latencies, failures))


class Content:
    """The served rules and lists, of which there are two versions."""

    def __init__(self, cdpipe, folder):
        self.folder = pathlib.Path(folder)
        self.cdpipe = cdpipe
        self.rules = str(self.folder / "rules.cdrules")
        self.lists = str(self.folder / "lists")
        self.versions = itertools.cycle([self.version("one"), self.version("two")])
        self.replace()

    def version(self, name):
        """Makes a version and returns its folder."""
        made = self.folder / name
        (made / "lists").mkdir(parents=True)
        source = made / "rules.yaml"
        source.write_text(f"rules:\n  - {{ name: {name}, action: junk, when: {{ body: {{ contains: [casino] }} }} }}\n")
        subprocess.run([self.cdpipe, "rules", "compile", source, "-o", made / "rules.cdrules"], check=True)
        rows = made / "list.tsv"
        rows.write_text(f"1001\t{name}\n")
        subprocess.run(
            [self.cdpipe, "emit", "--quiet", "--format", "store", "-o", made / "lists", rows], check=True)
        # A file that fills every buffer on its way.
        (made / "lists" / "big.cdstore").write_bytes(os.urandom(1 << 20) * 64)
        return made

    def replace(self):
        """Puts the other version in place."""
        made = next(self.versions)
        subprocess.run(["cp", made / "rules.cdrules", self.rules + ".new"], check=True)
        os.replace(self.rules + ".new", self.rules)
        os.symlink(made / "lists", self.lists + ".new")
        os.replace(self.lists + ".new", self.lists)


def start(program, content):
    """Starts the server on a port that the system chooses, and returns it with the port."""
    server = subprocess.Popen(
        [program, "--port", "0", "--rules", content.rules, "--lists", content.lists, "--log-level", "error"],
        stderr=subprocess.DEVNULL)
    for _ in range(200):
        ports = subprocess.run(
            ["ss", "-Hltnp"], stdout=subprocess.PIPE, text=True, check=True).stdout
        match = re.search(rf"127\.0\.0\.1:(\d+) .*pid={server.pid},", ports)
        if match:
            return server, int(match[1])
        time.sleep(0.05)
    sys.exit("the server did not start")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--hostile", type=int, default=1, help="the number of hostile clients")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--p99-max", type=float, default=20.0, help="in milliseconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        content = Content(options.cdpipe, folder)
        server, port = start(options.server, content)
        held = {kind: multiprocessing.Value("i", 0) for kind in ATTACKS}
        results = multiprocessing.Queue()
        attackers = [
            multiprocessing.Process(target=attack, args=(port, kind, options.hostile, held[kind])) for kind in ATTACKS]
        served = multiprocessing.Process(target=serve, args=(port, options.seconds, results))
        for process in [*attackers, served]:
            process.start()
        memory = []
        most = dict.fromkeys(ATTACKS, 0)
        reloads = 0
        began = time.monotonic()
        while (passed := time.monotonic() - began) < options.seconds:
            memory.append(resident(server.pid))
            for kind, count in held.items():
                most[kind] = max(most[kind], count.value)
            if passed > reloads * 2:
                reloads += 1
                content.replace()
                server.send_signal(signal.SIGHUP)
            time.sleep(SAMPLE_SECONDS)
        latencies, failures = results.get()
        for process in attackers:
            process.kill()
        server.send_signal(signal.SIGTERM)
        status = server.wait(30)
    report(options, memory, most, reloads, latencies, failures, status)


def report(options, memory, most, reloads, latencies, failures, status):
    """Prints the figures and exits with 1 if one is over its limit."""
    latencies.sort()
    p99 = latencies[len(latencies) * 99 // 100] * 1000
    third = len(memory) // 3
    growth = max(memory[2 * third:]) / max(memory[third:2 * third])
    peak = max(memory)
    print(f"{options.seconds} s, {reloads} reloads; {options.hostile} hostile clients held up to "
          + ", ".join(f"{count:,} ({kind})" for kind, count in most.items()))
    print(f"memory: at most {peak / 1e6:.1f} MB of {memory_max() / 1e6:.0f} MB, last third {growth:.2f} x the second")
    print(f"others: {len(latencies):,} requests, {len(failures)} failed, median {latencies[len(latencies) // 2] * 1e3:.2f} ms, "
          f"p99 {p99:.2f} ms, slowest {latencies[-1] * 1e3:.1f} ms")
    for failure in failures[:10]:
        print(f"  {failure}")
    if peak >= memory_max() / 2 or growth > GROWTH_MAX or p99 > options.p99_max or failures or status != 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
