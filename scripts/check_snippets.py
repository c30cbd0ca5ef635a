#!/usr/bin/env python3
"""Type-checks every Swift snippet of the documentation that developers of apps read, each as a file of its own.

    scripts/check_snippets.py [BUILD]

The snippets are the ```swift blocks of the DocC catalogues' articles and of docs/ios/README.md, the Swift files of
tutorials, and the code in documentation comments of the catalogues' modules. BUILD is a build folder with the modules
(default: .build/debug). Snippets in comments have the import of their module; all others have their own imports. A
snippet may use the names in NAMES without declaring them. Exits 1 and prints the compiler's errors.

Not for: what a snippet does when it runs; the unit tests cover the functions that it calls.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALLKIT = "import CallDirectoryKit; import CallKit; "
NAMES = {
    "url": 'import Foundation; let url = URL(fileURLWithPath: "file")',
    "container": 'import Foundation; let container = URL(fileURLWithPath: "folder")',
    "folder": 'let folder = "folder"',
    "identifier": 'let identifier = "com.example.app.directory"',
    "show": "func show(_ values: Any...) {}",
    "store": 'import CallStoreReader; let store = try CallStore(path: "numbers.cdstore")',
    "batch": "import CallStoreReader; var batch = StoreBatch()",
    "files": 'import CallDirectory; let files = ExtensionFiles(folder: "folder")',
    "request": "import CallDirectory; nonisolated(unsafe) var request: (any EndingRequest)!",
    "context": CALLKIT + "nonisolated(unsafe) var context: CXCallDirectoryExtensionContext!",
    "manager": CALLKIT + "let manager = CXCallDirectoryManager.sharedInstance",
}


def comments(file):
    """Yields the line and the text of each piece of code in the documentation comments of a file."""
    piece, before = [], ""
    for number, line in enumerate(file.read_text().split("\n") + [""], 1):
        match = re.match(r" *///     (.*)", line)
        # What follows the text of a list item is the rest of that item.
        if match and (piece or re.fullmatch(r" *///", before)):
            piece.append(match.group(1))
        elif piece and re.fullmatch(r" *///", line):
            piece.append("")
        elif piece:
            yield number - len(piece), "\n".join(piece)
            piece = []
        before = line


def snippets():
    """Yields the name, the imports that are added, and the text of each snippet."""
    pages = sorted(ROOT.glob("Sources/**/*.docc/*.md")) + [ROOT / "docs/ios/README.md"]
    for page in pages:
        text = page.read_text()
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            yield f"{page.relative_to(ROOT)}:{line}", "", match.group(1)
    for file in sorted(ROOT.glob("Sources/**/*.docc/Resources/*.swift")):
        yield str(file.relative_to(ROOT)), "", file.read_text()
    for catalogue in sorted(ROOT.glob("Sources/**/*.docc")):
        for file in sorted(catalogue.parent.glob("*.swift")):
            for line, text in comments(file):
                yield f"{file.relative_to(ROOT)}:{line}", f"import {catalogue.stem}", text


def options(build):
    """The compiler's options to find the modules of a build."""
    found = ["-I", str(build / "Modules")]
    for module_map in sorted(build.glob("*.build/module.modulemap")):
        found += ["-Xcc", f"-fmodule-map-file={module_map}"]
    manifests = pathlib.Path(shutil.which("swiftc")).resolve().parent.parent / "lib/swift/pm/ManifestAPI"
    return found + ["-I", str(manifests), "-package-description-version", "6.2"]


def check(snippet, flags, folder):
    """Type-checks a snippet. Returns the errors, or an empty text."""
    name, imports, text = snippet
    lines = [imports]
    for word, declaration in NAMES.items():
        declared = rf"\b(?:let|var|func) {word}\b|\b{word}: [A-Z]"
        if re.search(rf"(?<![.\w]){word}\b", text) and not re.search(declared, text):
            lines.append(declaration)
    # Only a file of this name may have statements outside of functions.
    main = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "main.swift"
    main.write_text("\n".join(lines) + f'\n#sourceLocation(file: "{name}", line: 1)\n{text}')
    # Comments show results as expressions whose values are not used.
    warnings = "-suppress-warnings" if imports else "-warnings-as-errors"
    done = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", warnings, *flags, str(main)], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
if not (build / "Modules/CallStoreReader.swiftmodule").exists():
    sys.exit(f"check_snippets.py: no modules in '{build}'\n  hint: swift build --traits Tool --build-tests")
found = list(snippets())
flags = options(build)
failures = 0
with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for errors in pool.map(lambda snippet: check(snippet, flags, folder), found):
        if errors:
            failures += 1
            print(errors, file=sys.stderr)
print(f"{failures} of {len(found)} snippets have errors" if failures else f"passed: {len(found)} snippets")
sys.exit(1 if failures or not found else 0)
