"""A day of hostile sources: many kinds of malice beside one good list, and the night is published nevertheless.

Writes COUNT sources of every kind, each `required: false`, and runs the pipeline. The version must be published with
the good list's numbers and nothing else, with a reason for every other source, within 96 MiB. Prints the time and the
memory, and exits 1 if anything else happened.

usage: hostile.py CDPIPE COUNT
"""

import bz2
import glob
import gzip
import io
import lzma
import os
import plistlib
import random
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

SEED = 20261123
MEMORY_MIB = 96
SECONDS = 900
"""The limit for a run that hangs: the long form needs a minute or two."""

LIST = "".join(f"+861380013{i:04d}\tlabel {i % 7}\n" for i in range(3000)).encode()


# Files: functions that return bytes. The number distinguishes the sources of a kind.


def zip_of(name, data, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data, **options)
    return file.getvalue()


def zip_bomb(_):
    return zip_of("zeros", bytes(32 << 20))


def gzip_bomb(_):
    return gzip.compress(bytes(32 << 20))


def xz_bomb(_):
    return lzma.compress(bytes(32 << 20), preset=0)


def bzip2_bomb(_):
    return bz2.compress(bytes(32 << 20))


def xz_window(_):
    """A stream that needs 1 GiB to unpack."""
    return lzma.compress(LIST, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}])


def overlapping_zip(_):
    """Two members that share their packed bytes."""
    data = zip_of("a", LIST)
    start = data.index(b"PK\1\2")
    entry, end = data[start:data.index(b"PK\5\6")], bytearray(data[data.index(b"PK\5\6"):])
    end[8:12] = (2).to_bytes(2, "little") * 2
    end[12:16] = (2 * len(entry)).to_bytes(4, "little")
    return data[:start] + 2 * entry + bytes(end)


def truncated_zip(i):
    data = zip_of("list.tsv", LIST)
    return data[:len(data) // 2 + i]


def truncated_gzip(i):
    data = gzip.compress(LIST)
    return data[:len(data) // 2 + i]


def damaged_gzip(i):
    data = bytearray(gzip.compress(LIST))
    data[-8 + i % 4] ^= 0xFF
    return bytes(data)


def database(statements):
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        connection = sqlite3.connect(file.name)
        connection.executescript(statements)
        connection.close()
        file.seek(0)
        return file.read()


COUNTER = "WITH RECURSIVE counter(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM counter) SELECT x FROM counter"


def two_tables(i):
    return database(f"CREATE TABLE a{i}(number); CREATE TABLE b{i}(number);")


def silent_view(i):
    return database(f"CREATE VIEW spam(number) AS {COUNTER} WHERE x < -{i};")


def endless_view(i):
    return database(f"CREATE VIEW spam(number) AS {COUNTER.replace('SELECT x FROM', f'SELECT x + {i} FROM')};")


def truncated_database(i):
    data = database("CREATE TABLE spam(number TEXT); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE "
                    "x < 2000) INSERT INTO spam SELECT '+861380013' || x FROM c;")
    return data[:len(data) - 100 - i]


def nested_ranges(i):
    return "".join(f"+{861000000000 + i + n}..+{861999999999 - n}\tn{n}\n" for n in range(66_000)).encode()


def long_labels(i):
    label = f"{i}" + "x" * 2000
    return "".join(f"+{861000000000 + n}..+{861999999999 - n}\t{label}{n}\n" for n in range(1000)).encode()


def wide_range(i):
    return LIST + f"+{8610000000000 + i}..+8619999999999\twide\n".encode()


def endless_line(i):
    return b"[" + b"x" * ((4 << 20) + i)


def deep_json(_):
    return b"[" * 100_000 + b"]" * 100_000


def entity_bomb(_):
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return (f'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e0 "spam">{entities}]>'
            "<plist version=\"1.0\"><array><dict><key>number</key><string>&e9;</string></dict></array></plist>").encode()


def truncated_plist(i):
    data = plistlib.dumps([{"number": f"+861380013{n:04d}", "title": "a"} for n in range(500)])
    return data[:len(data) // 2 + i]


def noise(i):
    return random.Random(SEED + i).randbytes(100_000)


def unmarked_utf16(_):
    return LIST.decode().encode("utf-16-le")


def web_page(i):
    return f"<!DOCTYPE html><html><body>Service unavailable ({i})</body></html>".encode()


def no_numbers(i):
    return "".join(f"12\tlabel {n + i}\n" for n in range(1000)).encode()


# Places: functions that make something other than a file with bytes.


def directory(path):
    os.mkdir(path)


def silent_pipe(path):
    os.mkfifo(path)


def link_loop(path):
    os.symlink(os.path.basename(path), path)


def link_to_zeros(path):
    os.symlink("/dev/zero", path)


def dangling_link(path):
    os.symlink("nowhere", path)


def socket_file(path):
    # The path of a socket is limited to about a hundred bytes.
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    socket.socket(socket.AF_UNIX).bind(os.path.basename(path))
    os.chdir(here)


# Answers: functions that write to the connection of a client.


def send_noise(client, i):
    client.sendall(random.Random(i).randbytes(5000))


def send_error(client, _):
    client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def send_page(client, i):
    page = web_page(i)
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(page) + page)


def send_part(client, _):
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n" + LIST[:20_000])


def send_loop(client, _):
    client.sendall(b"HTTP/1.1 302 Found\r\nLocation: /send_loop/0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def send_bad_chunks(client, _):
    client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n" + LIST[:100])


def send_headers_without_end(client, _):
    client.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        client.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")


def send_without_end(client, _):
    client.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while True:
        client.sendall(LIST)


def send_drops(client, _):
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        client.sendall(b"+")
        time.sleep(0.2)


def hang_up(client, _):
    client.close()


FILES = {
    zip_bomb: "", gzip_bomb: "", xz_bomb: "", bzip2_bomb: "", xz_window: "", overlapping_zip: "", truncated_zip: "", truncated_gzip: "", damaged_gzip: "",
    two_tables: "",
    silent_view: "parse: { query-timeout: 0.2 }", endless_view: "parse: { query-timeout: 0.2 }", truncated_database: "",
    nested_ranges: "max-numbers: 1000000000000000", long_labels: "max-numbers: 1000000000000000",
    wide_range: "", endless_line: "", deep_json: "", entity_bomb: "", truncated_plist: "", noise: "",
    unmarked_utf16: "", web_page: "", no_numbers: "",
}
PLACES = {
    directory: "", silent_pipe: "pipe-timeout: 0.2", link_loop: "", link_to_zeros: "unzip: { max-size: 4MiB }",
    dangling_link: "", socket_file: "",
}
ANSWERS = {
    send_noise: "", send_error: "", send_page: "", send_part: "", send_loop: "", send_bad_chunks: "",
    send_headers_without_end: "", send_without_end: "max-size: 1MiB, ", send_drops: "timeout: 0.5, ", hang_up: "",
}
"""The kinds with the keys that bound them sooner than the defaults."""


def serve():
    """Starts a server whose paths name an answer and a number; returns its port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    answers = {answer.__name__: answer for answer in ANSWERS}

    def answer(client):
        with client:
            try:
                _, name, number = client.recv(4096).split(b" ")[1].decode().split("/")
                answers[name](client, int(number))
            except OSError:
                pass  # The client has had enough.

    def loop():
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def write(folder, count, port):
    """Writes the sources, the pipeline, and the names of the hostile sources."""
    os.mkdir(f"{folder}/lists")
    sources = []
    for kind, keys in [*FILES.items(), *PLACES.items()]:
        for i in range(count):
            name = f"{kind.__name__}-{i}"
            path = f"{folder}/lists/{name}"
            if kind in FILES:
                with open(path, "wb") as file:
                    file.write(kind(i))
            else:
                kind(path)
            sources.append((name, f"path: lists/{name}" + (f", {keys}" if keys else "")))
    for kind, keys in ANSWERS.items():
        for i in range(count):
            name = f"{kind.__name__}-{i}"
            url = f"http://127.0.0.1:{port}/{kind.__name__}/{i}"
            sources.append((name, f"url: '{url}', download: {{ {keys}retries: 0, connect-timeout: 5 }}"))
    # An empty file is a valid list, unless rows are expected.
    open(f"{folder}/lists/empty", "wb").close()
    sources += [(f"empty-{i}", "path: lists/empty, min-rows: 1") for i in range(count)]
    sources += [(f"missing-{i}", f"path: lists/missing-{i}") for i in range(count)]
    random.Random(SEED).shuffle(sources)
    with open(f"{folder}/good.tsv", "wb") as file:
        file.write(LIST)
    lines = [f"- {{ name: {name}, required: false, {keys} }}" for name, keys in sources]
    lines.insert(len(lines) // 2, "- { name: good, path: good.tsv }")
    with open(f"{folder}/night.yaml", "w", encoding="ascii") as file:
        file.write("\n".join(["sources:", *lines, "sort: { memory: 16MiB }", "publish: { directory: public }", ""]))
    with open(f"{folder}/names", "w", encoding="ascii") as file:
        file.write("\n".join(name for name, _ in sources))


def main():
    cdpipe, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) > 3:
        return write(sys.argv[3], count, int(sys.argv[4]))
    with tempfile.TemporaryDirectory(prefix="cdpipe-hostile-", dir="/var/tmp") as folder:
        # In a separate process, because a child's peak starts with this process's own memory.
        subprocess.run([sys.executable, __file__, cdpipe, str(count), folder, str(serve())], check=True)
        with open(f"{folder}/names", encoding="ascii") as file:
            names = file.read().split()
        errors = f"{folder}/errors"
        start = time.monotonic()
        with open(errors, "wb") as file:
            process = subprocess.Popen(
                ["timeout", str(SECONDS), cdpipe, "run", "night.yaml"], cwd=folder, stdin=subprocess.DEVNULL, stderr=file)
            _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        with open(errors, encoding="utf-8") as file:
            text = file.read()
        wrong = []
        if process.returncode != 0:
            wrong.append(f"status {process.returncode}")
        for name in names:
            if len(re.findall(rf"source '{name}'( \('[^']*'\))? is left out: it is not required\n", text)) != 1:
                wrong.append(f"'{name}' is not left out once")
        stores = sorted(glob.glob(f"{folder}/public/current/*.cdstore"))
        entries = subprocess.run([cdpipe, "cat", *stores], capture_output=True, check=False).stdout
        if sorted(entries.splitlines()) != sorted(line[1:] for line in LIST.splitlines()):
            wrong.append(f"not the good list: {len(entries.splitlines())} rows")
        peak = usage.ru_maxrss / 1024
        if peak > MEMORY_MIB:
            wrong.append(f"{peak:.1f} MiB")
        print(f"{len(names)} hostile sources of {len(names) // count} kinds: {peak:.1f} MiB of {MEMORY_MIB}, {seconds:.1f} s")
        if wrong:
            print(text[-20_000:], *wrong[:20], sep="\n")
            sys.exit(1)


main()
