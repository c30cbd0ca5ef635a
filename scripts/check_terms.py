#!/usr/bin/env python3
"""Fails on words that the project does not use, in names, comments, messages and documents.

  scripts/check_terms.py [--count | --hits] [FILE-OR-FOLDER ...]

Without arguments it checks every tracked text file. Each finding is one line: file:line: the words found, the term's
name, and what to write instead. Exits 1 if there are findings. --count prints the number of findings per term under
Sources/ and in the whole tree and exits 0. --hits prints the findings and exits 0.

Names are split into words before they are matched: `spaceBehind` is found like "space behind". A phrase is found across
a line break. An exception is a place where a listed word has its ordinary meaning; each one states its reason.
"""

import argparse
import bisect
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Words in comments, messages, documents and names: (term, pattern, what to write instead). The patterns are matched
# in lower case; a space matches a line break, too.
WORDS = [
    (
        "behind",
        r"behind\b(?<!leave behind)(?<!leaves behind)(?<!left behind)(?<!leaving behind)(?<!nothing behind)"
        r"(?! (?:a|an|the|one|its|your|trusted)? ?(?:reverse )?(?:proxy|proxies|protocol|firewall|load balancer|nginx)\b)",
        "after, following; end or suffix in names",
    ),
    ("room", r"room(?<!\wroom)s?\b", "capacity or space; a target is a target or a module"),
    ("house", r"house(?<!\whouse)s?\b", "project, settings, Repository"),
    ("so many", r"so m(?<!\wso m)(?:any|uch)\b", "at most N, the first N"),
    ("usual", r"usual\b(?<!as usual)", "default, common"),
    ("told", r"t(?<!\wt)(?:ells|old)\b(?! apart\b)", "report, log, describe, list, state"),
    (
        "says",
        r"says\b(?<!rfc says)(?<!specification says)(?<!standard says)(?<!documentation says)(?<!apple says)",
        "report, log, describe, list, state",
    ),
    ("gives", r"gives\b(?! up\b)", "returns, outputs, produces"),
    (
        "takes",
        r"takes\b(?<!\wtakes)(?! (?:about|almost|only|over|up|no longer|longer|long|less time|more time|milliseconds|seconds"
        r"|minutes|hours|place|part|effect|precedence|time|space|memory|advantage|care|into account|its place|the place"
        r"|at most \d|a (?:few |second|minute|while|long)|one (?:second|minute)|\d|\{|\\\())",
        "accepts, reads, needs, removes",
    ),
    ("anew", r"anew\b", "again"),
    ("in turn", r"in turn\b", "then, one after another, alternating"),
    ("of late", r"of late\b", "recently"),
    ("be it", r"be it\b(?<!\wbe it)", "whether"),
    ("whoever", r"whoever\b", "anyone who, the caller"),
    (
        "is no",
        r" no (?<=\b(?:is|re) no )(?<!there is no )(?<!there are no )(?!longer\b|more\b|less\b|other\b|doubt\b|such\b|need\b|way\b|matter\b|\d)[a-z]+",
        "is not a(n), is invalid",
    ),
    ("sound", r"sound(?<!\w\wsound)(?:ness)?\b", "valid"),
    ("look-up", r"look-ups?\b", "lookup (noun), look up (verb)"),
    ("a label each", r"a label each\b", "a distinct label per row"),
    ("good last", r"good last\b", "last good copy"),
    ("nothing stands", r"nothing stands\b", "is missing, is empty"),
    ("hand on", r"hand(?<!\whand)(?:s|ed|ing)? (?:\w+ )?(?:on|over)\b", "forward, pass"),
    ("to begin with", r"stores? to begin with\b", "bootstrap store"),
    ("taker", r"takers?\b", "sink"),
]

# Parts of names: (term, pattern, what to use instead). Matched as written, on whole identifiers.
NAMES = [
    (
        "…Error",
        r"(?<=[a-z])(?:Defect|Mistake|Trouble|Fault|Damage|Refusal|Misuse|Doubt)\b"
        r"|(?:struct|enum|class|typealias) (?:Defect|Mistake|Trouble|Fault|Damage|Refusal|Misuse|Doubt)\b",
        "Failure for what is thrown, …Error for an enum; …Reject for a row that is left out",
    ),
    ("…Sink", r"Taker\b", "…Sink"),
    ("…Messages", r"(?<=[a-z])(?:Wording|Sentence|Voice)\b", "…Messages, UserMessage, Diagnostics"),
    ("default…", r"Usual\b|Unusual\b|\busual[A-Z]\w*", "default…, common…, …Slow"),
    ("…Min, …Max", r"(?<=[a-z])Least\b(?<!atLeast)(?<!AtLeast)|(?<=[a-z])Most\b(?<!atMost)(?<!AtMost)|\bleast[A-Z]\w*", "…Min, …Max"),
    ("RecordFields", r"Annotation", "RecordFields"),
    (
        "picture",
        r"Ledger|(?:Gate|Shelf)\b|KnownBeginnings|\bTyped[A-Z]\w*|CarriedOut|FilesInFileOut",
        "SourceHashes, RejectLimitCheck, SourceCache, PrefixCache, StageInvocation, PipelineCommand, InputOutputOptions",
    ),
    (
        "vague type",
        r"(?:struct|enum|class|actor|protocol|typealias) (?:State|Place|Kind|Facts|Row|Entry)\b",
        "a name that means something in a stack trace",
    ),
]

# Exceptions: (the start of the file's path, a term or None for all, a pattern that the line matches, the reason).
EXCEPTIONS = [
    ("scripts/check_terms", None, r"", "the list of terms itself"),
    ("Sources/Stages/3-Parse/ParseReject", "behind", r'"text-behind-quote"', "a reject code, which is frozen"),
    ("Sources/Phone/Frameworks/CallKit/", "sound", r"[sS]ound", "CallKit's ringtone sounds"),
    ("Sources/Phone/Frameworks/FrameworkServices/Calls/", "sound", r"[sS]ound", "a phone's audio"),
    ("Tests/CallKitTests/Call", "sound", r"[sS]ound", "a phone's audio"),
    ("Tests/SampleAppTests/VoIPCallerName", "sound", r"[sS]ound", "a phone's audio"),
    ("Tests/SampleAppTests/CallsModelTests.swift", "sound", r'"sound"', "a phone's audio"),
    ("docs/ios/simulated-phone.md", "sound", r"`ringtoneSound`", "CallKit's ringtone sounds"),
    ("samples/apps/VoIPCallerName/", "sound", r"[sS]ound", "a phone's audio"),
    ("Tests/SwiftUIStub/", "vague type", r"struct State", "SwiftUI's name"),
    ("Tests/UIKit/", "vague type", r"enum State", "UIKit's name"),
    ("", "takes", r"takes one value, (?:got|not)", "the messages for an option with too many values"),
    ("", "behind", r"text-behind-quote", "a reject code, frozen in reports"),
    ("Tests/CommandTests/Sessions/", "told", r"\\told", "a tab, then 'old'"),
    ("Tests/CommandTests/Sessions/rejects.md", "is no", r"this is no JSON", "input, quoted by a message"),
    ("", "house", r"ClickHouse", "the database"),
    ("Sources/Runner/Publishing/PublishState.swift", "sound", r'"sound"', "a key of publish.json, which is frozen"),
]

# Files that are data, or copies of other files.
SKIPPED = re.compile(
    r"Fuzzing/Seeds/|samples/[^/]*\.(?:json|jsonl|plist|vcf|xml|tsv|sqlite|zip)$|.*\.(?:tsv|png|svg|sqlite|zip|gz)$|LICENSE$"
    r"|Sources/C/CNumberPlanTables/|Sources/C/CMessageTables/"
    r"|Tests/.*\.jsonl$"
)

MARKER = re.compile(r"(?m)^[ \t]*(?:///?|//|#(?!!)|\*|>|\||2>)?[ \t]*")
BLANKS = re.compile(r"[ \t]+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def tracked(arguments):
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True, text=True
    ).stdout.split("\0")
    files = [ROOT / name for name in listed if name]
    if arguments:
        chosen = []
        for argument in arguments:
            path = pathlib.Path(argument).resolve()
            inside = [file for file in files if path in file.parents] if path.is_dir() else []
            chosen += inside or ([path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()))
        files = chosen
    return files


def name_of(file):
    return str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else str(file)


def compiled():
    words = [(term, re.compile(pattern), instead) for term, pattern, instead in WORDS]
    return words, [(term, re.compile(pattern), instead) for term, pattern, instead in NAMES]


def findings(name, text, words, names):
    lines = text.split("\n")
    # Names split into words; without comment markers and line breaks, so that a phrase is found across lines.
    plain = BLANKS.sub(" ", CAMEL.sub(" ", MARKER.sub("", text))).split("\n")
    for table, parts in ((words, plain), (names, lines)):
        starts = list(itertools.accumulate((len(part) + 1 for part in parts), initial=0))
        subject = " ".join(parts).lower() if table is words else text
        for term, pattern, instead in table:
            for match in pattern.finditer(subject):
                at = bisect.bisect_right(starts, match.start() if table is words else match.end() - 1)
                line = lines[at - 1]
                if any(
                    name.startswith(start) and only in (None, term) and re.search(where, line)
                    for start, only, where, _ in EXCEPTIONS
                ):
                    continue
                yield at, term, " ".join(match.group().split()), instead


def main():
    parser = argparse.ArgumentParser(description="Fails on words that the project does not use.")
    parser.add_argument("--count", action="store_true", help="print the number of findings per term")
    parser.add_argument("--hits", action="store_true", help="print the findings, and exit 0")
    parser.add_argument("path", nargs="*", help="files and folders (default: all tracked files)")
    arguments = parser.parse_args()
    words, names = compiled()
    counts = {term: [0, 0] for term, _, _ in WORDS + NAMES}
    total = 0
    for file in tracked(arguments.path):
        name = name_of(file)
        if SKIPPED.match(name) or not file.is_file() or file.is_symlink():
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for at, term, found, instead in sorted(findings(name, text, words, names)):
            total += 1
            counts[term][1] += 1
            counts[term][0] += name.startswith("Sources/")
            if not arguments.count:
                print(f"{name}:{at}: '{found}' ({term}): {instead}")
    if arguments.count:
        print(f"{'term':<16}{'Sources':>8}{'all':>8}")
        for term, (sources, everywhere) in counts.items():
            print(f"{term:<16}{sources:>8}{everywhere:>8}")
        print(f"{'total':<16}{sum(c[0] for c in counts.values()):>8}{total:>8}")
    elif total and not arguments.hits:
        sys.exit(f"check_terms.py: {total} findings")


if __name__ == "__main__":
    main()
