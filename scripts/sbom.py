#!/usr/bin/env python3
"""Writes the software bill of materials of a build, in the JSON form of SPDX 2.3.

  scripts/sbom.py PROGRAM... > cdpipe.spdx.json

Lists the Swift packages with their revisions, from the Package.resolved files of this checkout, and the Debian packages
with the libraries that the programs are linked with or open at run time. The date is SOURCE_DATE_EPOCH, or that of the
last commit. Source of the form: https://spdx.github.io/spdx-spec/v2.3/.
"""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESOLVED = [ROOT / "Package.resolved", ROOT / "Report/Package.resolved", ROOT / "Server/Package.resolved"]
NONE = "NOASSERTION"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def swift_packages():
    """The Swift packages as SPDX packages, each once."""
    pins = {}
    for path in RESOLVED:
        if path.exists():
            for pin in json.loads(path.read_text(encoding="utf-8"))["pins"]:
                pins[pin["identity"]] = pin
    for name, pin in sorted(pins.items()):
        version = pin["state"].get("version") or pin["state"]["revision"]
        yield {
            "SPDXID": f"SPDXRef-swift-{name}",
            "name": name,
            "versionInfo": version,
            "downloadLocation": f"git+{pin['location']}@{pin['state']['revision']}",
            "externalRefs": [reference(f"pkg:swift/{pin['location'].split('://')[-1].removesuffix('.git')}@{version}")],
        }


def reference(address):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}


def libraries(programs):
    """The paths of the libraries that the programs are linked with or open."""
    paths = {line.split()[1] for line in output(str(ROOT / "scripts/opened_libraries.sh")).splitlines()}
    for program in programs:
        paths |= {words[2] for words in map(str.split, output("ldd", program).splitlines()) if words[1:2] == ["=>"]}
    return sorted(paths)


def debian_packages(paths):
    """The Debian packages of libraries as SPDX packages, each once."""
    owners = set()
    for path in paths:
        # The list of packages has paths with or without /usr.
        for name in (path, "/usr" + path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")):
            found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
            if found.returncode == 0:
                owners.add(found.stdout.partition(":")[0])
                break
        else:
            sys.exit(f"sbom.py: no package has '{path}'")
    for owner in sorted(owners):
        version = output("dpkg-query", "-W", "-f=${Version}\n", owner).splitlines()[0]
        yield {
            "SPDXID": f"SPDXRef-debian-{owner.replace('+', '-')}",
            "name": owner,
            "versionInfo": version,
            "downloadLocation": NONE,
            "externalRefs": [reference(f"pkg:deb/debian/{owner}@{version}")],
        }


def main():
    programs = [pathlib.Path(name) for name in sys.argv[1:]]
    if not programs:
        sys.exit("usage: scripts/sbom.py PROGRAM... > cdpipe.spdx.json")
    version = output(str(programs[0]), "--version").strip()
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    files = {program.name: hashlib.sha256(program.read_bytes()).hexdigest() for program in programs}
    identity = hashlib.sha256("".join(files.values()).encode()).hexdigest()
    parts = [*swift_packages(), *debian_packages(libraries(map(str, programs)))]
    own = {
        "SPDXID": "SPDXRef-cdpipe",
        "name": "cdpipe",
        "versionInfo": version,
        "downloadLocation": NONE,
        "licenseDeclared": "Apache-2.0",
        "comment": "; ".join(f"{name}: SHA-256 {digest}" for name, digest in files.items()),
    }
    for package in [own, *parts]:
        package.update(filesAnalyzed=False, licenseConcluded=NONE, copyrightText=NONE)
        package.setdefault("licenseDeclared", NONE)
    related = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for part in parts:
        kind = "STATIC_LINK" if part["SPDXID"].startswith("SPDXRef-swift-") else "DYNAMIC_LINK"
        related.append((own["SPDXID"], kind, part["SPDXID"]))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"cdpipe-{version}",
        "documentNamespace": f"https://example.com/cdpipe/sbom/{identity}",
        "creationInfo": {"created": f"{day:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: cdpipe-sbom.py"]},
        "packages": [own, *parts],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in related
        ],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
