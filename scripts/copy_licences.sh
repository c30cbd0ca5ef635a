#!/usr/bin/env bash
# Copies the licences of what is linked into the programs: cdpipe's own, Swift's, and those of the Swift packages. A Mac has
# Swift's runtime itself.
#
#   scripts/copy_licences.sh FOLDER CHECKOUTS...
#
# CHECKOUTS are folders of checked-out packages, such as .build/checkouts; at least one must have packages.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "copy_licences: $*" >&2
  exit 1
}

if (($# < 2)); then
  echo "usage: scripts/copy_licences.sh FOLDER CHECKOUTS..." >&2
  exit 64
fi
folder=$1
shift
mkdir -p "$folder"
cp "$root/LICENSE" "$folder/cdpipe.txt"
if [[ $(uname) != Darwin ]]; then
  swift=$(realpath "$(command -v swift)") || fail "'swift' is missing"
  cp "${swift%/bin/*}/share/swift/LICENSE.txt" "$folder/swift.txt" || fail "Swift's licence was not found"
fi
found=
for checkouts in "$@"; do
  for path in "$checkouts"/*/{LICENSE,NOTICE}*; do
    if [[ -f $path ]]; then
      cp "$path" "$folder/$(basename "$(dirname "$path")").$(basename "$path" .txt).txt"
      found=1
    fi
  done
done
[[ -n $found ]] || fail "no Swift packages in $*: build first"
