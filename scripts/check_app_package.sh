#!/usr/bin/env bash
# Checks what an app developer sees first: a package that adds cdpipe by URL and version, with nothing else chosen, resolves
# no other package, builds with all products for apps, and reads a store with one import. It is built by SwiftPM and by
# Xcode's build system, which alone passes -suppress-warnings to the packages that an app adds by URL.
#
#   scripts/check_app_package.sh
#
# The URL is that of a temporary repository with the files of the checkout, so the network is not needed. CDPIPE names the
# program (default: .build/release/cdpipe). Exits 1 if a result differs.
set -euo pipefail
# Only our own builds have these.
unset CDPIPE_WARNINGS_AS_ERRORS CDPIPE_PKG_CONFIG
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CDPIPE=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/cdpipe" "$work/app/Sources/app"

cd "$root"
git ls-files -z --cached --others --exclude-standard \
  | tar -c --null --files-from - --ignore-failed-read --warning=no-failed-read | tar -x -C "$work/cdpipe"
cd "$work/cdpipe"
git init -q
git add -A
git -c user.name=test -c user.email=test@example.com -c commit.gpgsign=false commit -q -m "The checkout"
git tag 1.0.0

cd "$work/app"
products=(NumberPlan CallStoreReader CallDeltaReader CallManifest CallDirectory CallDirectoryKit MessageRules)
cat >Package.swift <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app",
  platforms: [.iOS(.v13), .macOS(.v15)],
  dependencies: [.package(url: "file://$work/cdpipe", from: "1.0.0")],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
$(printf '        .product(name: "%s", package: "cdpipe"),\n' "${products[@]}")
      ])
  ]
)
END
cat >Sources/app/main.swift <<'END'
import CallStoreReader
import Foundation

let url = URL(fileURLWithPath: CommandLine.arguments[1])
for record in try CallStore(url: url).records() {
  print(record.kind, record.first, record.last, record.label)
}
let store = try CallStore(url: url)
print(identifier(ofKey: "ed25519:" + String(repeating: "0", count: 64)) ?? "no key")
for number: UInt64 in [8613800138000, 8613800138005, 15550100] {
  print(number, try store.label(of: number) ?? "unknown")
}
END
# Other imports are in another file, so that main.swift shows what the first is enough for.
cat >Sources/app/Caller.swift <<'END'
import CallDeltaReader
import CallDirectory
import CallDirectoryKit
import CallManifest
import MessageRules
import NumberPlan

/// The identifier of a publisher's key, which is computed by SHA-256.
func identifier(ofKey text: String) -> String? { ManifestKey(text)?.id }

/// The caller's name for a number as it is typed.
func caller(_ text: String, in stores: [String]) throws -> String? {
  let number = try NumberPlan.parse(Array(text.utf8).span, region: Region("CN")).e164
  return try CallerLookup(stores: stores).caller(number)?.label
}
END

# A package that is not in the repository would have to come from the network.
export https_proxy=http://127.0.0.1:9 http_proxy=http://127.0.0.1:9
options=(--cache-path "$work/cache" --quiet)
swift package "${options[@]}" resolve >&2
resolved=$(sed -n 's/.*"identity" : "\(.*\)",/\1/p' Package.resolved)
fetched=$(ls .build/checkouts)
[[ $resolved == cdpipe && $fetched == cdpipe ]] || {
  echo "check_app_package.sh: more than cdpipe is resolved or fetched:" "$resolved" "$fetched" >&2
  exit 1
}

printf '%s\n' '8613800138000	spam' '8613800138001..8613800138010	fraud' \
  | "$CDPIPE" emit --quiet --block 'fraud*' -o "$work/numbers.cdstore"
for system in native swiftbuild; do
  start=$SECONDS
  build=("${options[@]}" --build-system "$system" --scratch-path ".build/$system")
  swift build "${build[@]}" >&2
  echo "The package builds in $((SECONDS - start)) s ($system)"
  app=$(swift build "${build[@]}" --show-bin-path)/app
  diff -u --label expected --label actual - <("$app" "$work/numbers.cdstore") <<'END'
identification 8613800138000 8613800138000 spam
blocking 8613800138001 8613800138010 fraud
66687aadf862bd77
8613800138000 spam
8613800138005 fraud
15550100 unknown
END
done
echo "passed: ${#products[@]} products in an app's package"
