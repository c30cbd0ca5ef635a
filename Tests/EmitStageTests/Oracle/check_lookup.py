#!/usr/bin/env python3
"""Checks the Live Caller ID Lookup directories that `cdpipe emit` writes with a decoder and a SHA-256 that are not ours.

    check_lookup.py .build/release/cdpipe [--seed S] [--records N] [--lists N]

Random lists, with ranges and labels of many lengths, are written with random options. Every row must have the keyword
`+` and E.164 and the value that the record asks for, in the shard that SHA-256 chooses, in the order of numbers, and no
keyword may occur twice or be missing. The configurations must fit each other, SHA256SUMS the files. With protoc on the
PATH, `protoc --decode_raw` must read the same rows. Then process.sh processes shards with a program in place of Apple's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

TEST_NUMBER, TEST_VALUE = 14085551212, bytes.fromhex("0a104a6f686e6e79204170706c6573656564")
PADDING = range(999 * 10**12, 10**15)
PIECES = ["a", "Ä", "骚扰", "😀", "\\", "\n", "\t", '"', "é" * 30]


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"check_lookup.py: {message}")


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message: their numbers, and their varints or bytes."""
    found, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            found.append((tag >> 3, data[at : at + value]))
            at += value
        else:
            check(tag & 7 == 0, f"wire type {tag & 7}")
            found.append((tag >> 3, value))
    check(at == len(data), "a field is longer than its message")
    return found


def rows(data: bytes) -> list[tuple[bytes, bytes]]:
    found = []
    for number, row in fields(data):
        check(number == 1, f"field {number}")
        parts = dict(fields(row))
        found.append((parts[1], parts.get(2, b"")))
    return found


def hash_of(keyword: bytes) -> int:
    return int.from_bytes(hashlib.sha256(keyword).digest()[:8], "little")


def encoded(name: str, minutes: int, category: int) -> bytes:
    def number(value: int) -> bytes:
        text = bytearray()
        while value > 127:
            text.append(value & 127 | 128)
            value >>= 7
        return bytes(text) + bytes([value])

    data = name.encode()
    message = b"\x0a" + number(len(data)) + data
    if minutes:
        message += b"\x18" + number(minutes)
    if category:
        message += b"\x20" + number(category)
    return message


def label(source: random.Random) -> str:
    kind = source.random()
    if kind < 0.1:
        return ""
    if kind < 0.13:
        return "long " + "ß" * source.randrange(100, 2000)
    prefix = source.choice(["fraud ", "bank ", ""])
    return prefix + "".join(source.choice(PIECES) for _ in range(source.randrange(1, 6))).strip(" \t\n") or "x"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def make_list(source: random.Random, count: int) -> tuple[str, dict[int, str]]:
    """The text form of a list, and the labels of its numbers."""
    text, labels, number = [], {}, source.choice([1, 14085551000, 8613000000000])
    for _ in range(count):
        number += source.randrange(1, source.choice([3, 100, 10**6]))
        last = number + (source.randrange(1, 40) if source.random() < 0.05 else 0)
        name = label(source)
        text.append(f"{number}{'' if last == number else f'..{last}'}\t{escaped(name)}\n")
        labels.update((one, name) for one in range(number, last + 1))
        number = last
    return "".join(text), labels


def read(folder: pathlib.Path, use: str, shards: int, identity_shards: int) -> dict[int, bytes]:
    """The rows of a database by their numbers, without those of empty shards."""
    found: dict[int, bytes] = {}
    for index in range(shards):
        data = (folder / f"{use}-{index}.binpb").read_bytes()
        check(data != b"", f"{use}-{index} is empty: PIRProcessDatabase would write nothing")
        previous = 0
        for keyword, value in rows(data):
            check(keyword[:1] == b"+" and keyword[1:].isdigit() and len(keyword) <= 16, f"keyword {keyword!r}")
            check(keyword[1:2] != b"0", f"keyword {keyword!r}")
            number = int(keyword[1:])
            check(number > previous, f"{use}-{index}: {number} after {previous}")
            previous = number
            shard = hash_of(keyword) % shards
            check(shard == index, f"{number} is in {use}-{index}, not in {shard}")
            # With powers of two, Apple's doubleMod is the same function.
            check(shards > identity_shards or hash_of(keyword) % identity_shards % shards == shard, "doubleMod differs")
            check(number not in found, f"{number} occurs twice")
            if number not in PADDING:
                found[number] = value
        if shutil.which("protoc") and index < 2:
            with open(folder / f"{use}-{index}.binpb", "rb") as file:
                text = subprocess.run(["protoc", "--decode_raw"], check=True, stdin=file, stdout=subprocess.PIPE).stdout
            check(text.count(b"\n}") + text.startswith(b"}") >= len(rows(data)), "protoc reads other rows")
    return found


def check_files(folder: pathlib.Path, shards: dict[str, int], bundle: str) -> None:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = {line[66:]: line[:64] for line in lines}
    present = {path.name for path in folder.iterdir()}
    check(set(listed) | {"SHA256SUMS", "manifest.json"} == present, "SHA256SUMS lists other files")
    for name, digest in listed.items():
        check(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"the hash of {name}")
    service = json.loads((folder / "service-config.json").read_text())
    cases = {case["name"]: case["shardCount"] for case in service["usecases"]}
    check(cases == {f"{bundle}.{use}": count for use, count in shards.items()}, f"use cases {cases}")
    for use, count in shards.items():
        tables = set()
        for index in range(count):
            settings = json.loads((folder / f"{use}-{index}.json").read_text())
            check(settings["inputDatabase"] == f"{use}-{index}.binpb", "the input of a configuration")
            tables.add(json.dumps([settings["cuckooTableArguments"], settings["shardingFunction"]]))
        check(len(tables) == 1, f"{use}: the shards have different parameters")
        check(json.loads(tables.pop())[1] == {"sha256": {}}, f"{use}: the sharding function")


def check_list(program: str, source: random.Random, folder: pathlib.Path, count: int) -> str:
    text, labels = make_list(source, count)
    (folder / "list.tsv").write_text(text)
    shards, minutes = source.choice([None, None, None, 1, 2, 8, 64, 256, 512]), source.choice([0, 0, 1, 1440])
    has_test, blocks_fraud = source.random() < 0.5, source.random() < 0.7
    options = ["--format", "pir", "--bundle-id", "com.example.app.lookup"]
    options += ["--shards", str(shards)] if shards else ["--entries-per-shard", str(source.choice([5, 50, 1000]))]
    options += ["--cache-minutes", str(minutes)] if minutes else []
    options += ["--test-identity"] if has_test else []
    options += ["--block", "fraud*"] if blocks_fraud else []
    options += ["--category", "bank*=business", "--category", "*a=person"]
    target = folder / "lookup"
    shutil.rmtree(target, ignore_errors=True)
    emit = ["emit", "--allow-empty", *options, "-o", str(target)]
    if source.random() < 0.5:
        command = [program, *emit, "--quiet", str(folder / "list.tsv")]
    else:
        pipe = f"sort {folder / 'list.tsv'} | {shlex.join(emit)}"
        command = [program, "run", "--quiet", "--threads", str(source.randrange(1, 6)), "--pipe", pipe]
    subprocess.run(command, check=True)

    manifest = json.loads((target / "manifest.json").read_text())
    counts = {use: manifest[use]["shards"] for use in ("identity", "block")}
    check(not shards or counts["identity"] == shards, f"{counts} shards")
    check_files(target, counts, "com.example.app.lookup")
    identities = read(target, "identity", counts["identity"], counts["identity"])
    blocks = read(target, "block", counts["block"], counts["identity"])
    expected = {}
    for number, name in labels.items():
        if name:
            category = 2 if name.startswith("bank") else 1 if name.endswith("a") else 0
            expected[number] = encoded(name, minutes, category)
    blocked = {number for number, name in labels.items() if not name or blocks_fraud and name.startswith("fraud")}
    if has_test:
        expected[TEST_NUMBER] = TEST_VALUE
        blocked.discard(TEST_NUMBER)
    check(identities == expected, "the identities are others")
    check(set(blocks) == blocked and set(blocks.values()) <= {b"\x01"}, "the blocked numbers are others")
    check(manifest["identity"]["rows"] == len(identities) and manifest["block"]["rows"] == len(blocks), "the counts")
    return f"{len(identities)} identities in {counts['identity']} shards, {len(blocks)} blocked in {counts['block']}"


STAND_IN = """#!/usr/bin/env python3
import json, pathlib, sys, time
settings = json.loads(pathlib.Path(sys.argv[1]).read_text())
rows = pathlib.Path(settings["inputDatabase"]).read_bytes()
with open(pathlib.Path(__file__).parent / "attempts", "a") as attempts:
    attempts.write(settings["inputDatabase"] + "\\n")
if (pathlib.Path(__file__).parent / "fails").exists():
    sys.exit("no place in the table")
while (pathlib.Path(__file__).parent / "waits").exists():
    time.sleep(0.01)
pathlib.Path(settings["outputDatabase"]).write_bytes(b"processed\\n" + rows)
pathlib.Path(settings["outputPirParameters"]).write_text("parameters")
"""


def check_script(program: str, folder: pathlib.Path) -> None:
    """process.sh, with a program in place of Apple's: it processes what has changed, and nothing else."""
    stand_in, lookup, output = folder / "stand-in", folder / "lookup", folder / "out put"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    attempts = folder / "attempts"

    def emit(text: str, *options: str) -> None:
        command = [program, "emit", "-q", "--format", "pir", "--bundle-id", "com.example.app.lookup", *options, "-o", lookup]
        subprocess.run(command, input=text.encode(), check=True)

    def process(*options: str) -> tuple[int, list[str], str]:
        attempts.write_text("")
        done = subprocess.run(
            [lookup / "process.sh", *options, output], env={"PATH": "/usr/bin:/bin", "PIR_PROCESS_DATABASE": str(stand_in)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ran = attempts.read_text().split() or done.stdout.split()
        return done.returncode, sorted(ran), done.stderr

    shutil.rmtree(lookup, ignore_errors=True)
    text = "".join(f"{number}\tcaller\n" for number in range(33162000000, 33162000500))
    emit(text, "--shards", "8")
    names = ["block-0"] + [f"identity-{index}" for index in range(8)]
    check(process("-n")[:2] == (0, names), "-n lists other shards")
    check(not output.exists(), "-n makes the output")
    check(process("-j", "3")[:2] == (0, [name + ".binpb" for name in names]), "not all shards were processed")
    check(process()[:2] == (0, []), "a shard is processed again")
    # One number more: one shard, with the parameters that the others have.
    before = {path.name: path.stat().st_ino for path in lookup.glob("*.binpb")}
    emit(text + "33162000500\tnew\n")
    changed = sorted(path.name for path in lookup.glob("*.binpb") if path.stat().st_ino != before[path.name])
    check(len(changed) == 1, f"new files: {changed}")
    (output / "users.json").write_text('[{"tier": "one", "tokens": ["AAAA"]}]\n')
    check(process()[:2] == (0, changed), "another shard is processed")
    for result in ("identity-5.bin", "identity-5.params.txtpb"):
        (output / result).unlink()
        check(process()[:2] == (0, ["identity-5.binpb"]), f"{result} was removed and is not made again")
    for text_of_users in ("", "{", "[1]"):
        users = (output / "users.json").read_text()
        service = (output / "service-config.json").read_text()
        (output / "users.json").write_text(text_of_users)
        check(process()[0] == 65 and (output / "service-config.json").read_text() == service, "invalid users")
        (output / "users.json").write_text(users)
    # A second one at the same time, then a signal: neither leaves anything.
    (folder / "waits").touch()
    for result in output.glob("identity-*.bin"):
        result.unlink()
    environment = {"PATH": "/usr/bin:/bin", "PIR_PROCESS_DATABASE": str(stand_in)}
    running = subprocess.Popen([lookup / "process.sh", "-j", "3", output], env=environment, stderr=subprocess.DEVNULL)
    while not list(output.glob(".work.*/pid")):
        time.sleep(0.01)
    check(process()[0] == 75, "two at the same time")
    running.terminate()
    check(running.wait() == 143 and not list(output.glob(".work*")), "a signal leaves files")
    # Without flock there is no lock: neither one uses the other's list of shards.
    without = folder / "without flock"
    without.mkdir()
    for directory in ("/usr/bin", "/bin"):
        for path in pathlib.Path(directory).iterdir():
            if path.name != "flock" and not (without / path.name).exists():
                (without / path.name).symlink_to(path)
    both = [subprocess.Popen([lookup / "process.sh", output], env=environment | {"PATH": str(without)},
                             stderr=subprocess.DEVNULL) for _ in range(2)]
    while len(list(output.glob(".work.*/pid"))) < 2:
        time.sleep(0.01)
    check(len(list(output.glob(".work.list*"))) == 2, "two without a lock share a list")
    for one in both:
        one.terminate()
    for one in both:
        one.wait()
    (folder / "waits").unlink()
    check(process()[0] == 0, "a signal leaves a lock")
    inside = subprocess.run([lookup / "process.sh", lookup], stderr=subprocess.PIPE)
    check(inside.returncode == 64, "the results may be among the rows")
    (folder / "link.sh").symlink_to(lookup / "process.sh")
    linked = subprocess.run([folder / "link.sh", "-n", output], stdout=subprocess.PIPE)
    check(linked.returncode == 0 and not linked.stdout, "a link to the script finds other shards")
    (folder / "fails").touch()
    emit(text)
    status, ran, message = process()
    check(status != 0 and ran == 3 * changed and "no place in the table" in message, f"failing: {status}, {message}")
    (folder / "fails").unlink()
    (lookup / changed[0]).write_bytes(b"\n\0")
    check(process()[0] != 0 and "is damaged" in process()[2], "a damaged shard is processed")
    emit(text, "--shards", "2", "--baseline", "none")
    check(process()[0] == 0, "fewer shards")
    results = {path.name for path in output.glob("*.bin")}
    check(results == {"block-0.bin", "identity-0.bin", "identity-1.bin"}, f"{results} remain")
    service = json.loads((output / "service-config.json").read_text())
    check(service["users"] == [{"tier": "one", "tokens": ["AAAA"]}], "the users are lost")
    check({case["shardCount"] for case in service["usecases"]} == {1, 2}, "the service has other shards")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--lists", type=int, default=8)
    arguments = parser.parse_args()
    print(f"check_lookup.py: seed {arguments.seed}")
    source = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.lists):
            print(check_list(arguments.program, source, pathlib.Path(folder), source.randrange(arguments.records + 1)))
        check_script(arguments.program, pathlib.Path(folder))


if __name__ == "__main__":
    main()
