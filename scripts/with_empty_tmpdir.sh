#!/usr/bin/env bash
# Runs a command with its own TMPDIR, and fails if the command leaves files in it.
#
#   scripts/with_empty_tmpdir.sh COMMAND [ARGUMENT...]
#
# Files of the Swift toolchain are removed silently. Exits with the command's status, or 1 if it succeeded and
# left files.
set -euo pipefail

TMPDIR=$(mktemp -d)
# Tests of permissions read files in it as another user.
chmod 711 "$TMPDIR"
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

"$@"

# The package manager and the compiler keep lock files and empty folders there.
cd "$TMPDIR"
left=$(find . -mindepth 1 -maxdepth 1 ! -name 'TemporaryDirectory.*' ! -name '_*' ! -name 'swift-*' ! -name 'org.*')
if [[ -n $left ]]; then
  echo "with_empty_tmpdir.sh: left in TMPDIR by: $*" >&2
  # Up to 20 files: their names tell which test they belong to.
  while read -r name; do find "$name" | sed 's|^\./|  |' | head -20; done <<<"$left" >&2
  exit 1
fi
