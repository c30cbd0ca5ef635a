#!/usr/bin/env python3
"""Reads store files by docs/formats/store.md alone, and writes their records as `cdpipe cat` does.

    docs/formats/read_store.py STORE…

A second implementation that tests the specification. It is slow and loads a store whole. A damaged store ends it with status 1."""

import hashlib
import pathlib
import struct
import sys

CRC = list(range(256))
for _ in range(8):
    CRC = [value >> 1 ^ (0x82F63B78 if value & 1 else 0) for value in CRC]
NAMES = "kind mode n ranges own symbols dominant r s w L code mean bias places widths keys codes ends texts bytes"


def crc(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ CRC[(value ^ byte) & 255]
    return ~value & 0xFFFFFFFF


def check(holds, what):
    if not holds:
        sys.exit(f"read_store.py: {what}")


class Bits:
    def __init__(self, data, byte):
        self.data, self.at = data, byte * 8

    def read(self, width):
        self.at += width
        some = int.from_bytes(self.data[(self.at - width) // 8:(self.at + 7) // 8], "big") if width else 0
        return some >> -self.at % 8 & (1 << width) - 1

    def align(self):
        self.at += -self.at % 8
        return self.at

    def zeros(self, most):
        return next((count for count in range(most) if self.read(1)), most)


def sequence(data, at, count, base=0):
    if count == 0:
        return []
    f, w, k_min, k_width, mean, bias = struct.unpack_from("<4B2I", data, at)
    bits = Bits(data, at + 12)
    entries = [(bits.read(f), bits.read(w), k_min + bits.read(k_width)) for _ in range(0, count, 32)]
    gaps, values = bits.align(), []
    for group, (first, field, k) in enumerate(entries):
        bits.at = gaps + (group * mean >> 8) + field - bias
        values.append(base + first)
        for _ in range(min(32, count - group * 32) - 1):
            zeros = bits.zeros(24)
            values.append(values[-1] + 1 + (bits.read(50) if zeros == 24 else zeros << k | bits.read(k)))
    check(all(a < b for a, b in zip(values, values[1:])), "a sequence does not ascend")
    return values


def canonical(keys):
    codes, code, length = {}, -1, 0
    for key in keys:
        code, length = code + 1 << (key >> 14) - length, key >> 14
        codes[length, code] = key & 0x3FFF
    return codes


def identity(bits, codes):
    code = length = 0
    while (length, code) not in codes:
        code, length = code << 1 | bits.read(1), length + 1
        check(length <= 20, "no such code")
    return bits.read(14) if codes[length, code] == 0x3FFF else codes[length, code]


def identities(data, block, own_codes, shared):
    n, mode, dominant = block["n"], block["mode"], block["dominant"]
    if mode == 2:
        return list(range(4096, 4096 + n))
    if block["code"] == 255 and not own_codes:
        return [dominant] * n
    bits, size, found = Bits(data, block["codes"]), 1 << block["s"], []
    counts = [bits.read(14) for _ in range(block["L"])]
    lengths = [length for length, _ in own_codes]
    check(counts == [lengths.count(want + 1) for want in range(block["L"])], "the counts of codes are wrong")
    fields = [bits.read(block["w"]) for _ in range(0, n, size)]
    payload, codes = bits.align(), own_codes if block["code"] == 255 else shared[block["code"]]
    for group, field in enumerate(fields):
        check(bits.at == payload + (group * block["mean"] >> 8) + field - block["bias"], "a group starts elsewhere")
        end = min(n, (group + 1) * size)
        while len(found) < end:
            if mode == 0:
                left, most = end - len(found), -(-(end - len(found)) >> block["r"])
                zeros = bits.zeros(most)
                found += [dominant] * (left if zeros == most else zeros << block["r"] | bits.read(block["r"]))
            if len(found) < end:
                found.append(identity(bits, codes))
    return found


def block_records(data, entry, table, shared):
    offset, first, last, entries, length, n, checksum, kind = entry
    data = data[offset:offset + length]
    check(crc(data) == checksum, "a block's checksum is wrong")
    block = dict(zip(NAMES.split(), struct.unpack_from("<2B5H5B3x9I", data)))
    firsts = sequence(data, 56, n, first)
    lasts, before = list(firsts), 0
    widths = sequence(data, block["widths"], block["ranges"])
    for place, total in zip(sequence(data, block["places"], block["ranges"]), widths):
        lasts[place], before = firsts[place] + total - before, total
    ends = [end - index for index, end in enumerate(sequence(data, block["ends"], block["own"]))]
    text = data[block["texts"]:]
    own = [text[begin:end] for begin, end in zip([0] + ends, ends)]
    names = identities(data, block, canonical(sequence(data, block["keys"], block["symbols"])), shared)
    check(block["kind"] == kind and lasts[-1] == last and sum(b - a + 1 for a, b in zip(firsts, lasts)) == entries, "index and numbers differ")
    return [(a, b, table[i] if i < 4096 else own[i - 4096], kind) for a, b, i in zip(firsts, lasts, names)]


def records(data):
    check(data[:10] == b"\x89CDSTO\r\n\x01\0" and data[-12:] == b"\1\0\xd0\0CDSTEND\x89", "no store of version 1")
    trailer = data[-208:]
    parts = struct.unpack_from("<8Q", trailer)
    label_count, code_count = struct.unpack_from("<2I", trailer, 120)
    check(crc(trailer[:192]) == struct.unpack_from("<I", trailer, 192)[0], "the trailer's checksum is wrong")
    check(hashlib.sha256(data[:-48]).digest() == trailer[160:192], "the content hash is wrong")
    labels, codes, index, more = (data[at:at + size] for at, size in zip(parts[::2], parts[1::2]))
    check([crc(part) for part in (labels, codes, index, more)] == [*struct.unpack_from("<4I", trailer, 128)], "CRC")
    ends = struct.unpack_from(f"<{label_count}I", labels)
    table = [labels[4 * label_count + begin:4 * label_count + end] for begin, end in zip((0,) + ends, ends)]
    shared, at = [], 0
    for _ in range(code_count):
        symbols, _, size = struct.unpack_from("<2HI", codes, at)
        shared.append(canonical(sequence(codes, at + 8, symbols)))
        at += 8 + size
    blocks = [struct.unpack_from("<4Q4I", index, place) for place in range(0, len(index), 48)]
    found = sorted(record for entry in blocks for record in block_records(data, entry, table, shared))
    check(all(a[1] < b[0] for a, b in zip(found, found[1:])), "records are not disjoint")
    return found


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for first, last, label, _ in records(pathlib.Path(name).read_bytes()):
            for byte, escape in (b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"):
                label = label.replace(byte, escape)
            number = b"%d" % first if first == last else b"%d..%d" % (first, last)
            sys.stdout.buffer.write(number + (b"\t" + label if label else b"") + b"\n")
