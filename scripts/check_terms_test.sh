#!/usr/bin/env bash
# Checks check_terms.sh: it fails for each of some planted words, names the line, and accepts text without them.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_terms.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS LINE TEXT: the check exits with STATUS for a file with TEXT, and names LINE when it fails.
expect() {
  local status=0 file=$work/Planted.swift
  printf '%b\n' "$3" >"$file"
  "$check" "$file" >"$work/out" 2>/dev/null || status=$?
  if ((status != $1)) || { ((status)) && ! grep -q "^$file:$2: " "$work/out"; }; then
    echo "check_terms_test.sh: expected status $1 at line $2 for: $3" >&2
    cat "$work/out" >&2
    exit 1
  fi
}

expect 1 1 '// The bytes behind the first line feed.'
expect 1 2 'let count = 1\nlet roomLeft = 3'
expect 1 1 'struct SortTrouble: Error {}'
expect 1 1 '/// Stop after so many rows.'
expect 1 1 '/// The file is so\n/// much larger.'
expect 1 1 '  print("\\(number) is no number")'
expect 1 2 'struct Merge {\n  private enum State {}\n}'
expect 1 1 'final class RowTaker {}'
expect 1 1 'static let leastBytes = 16'
expect 1 1 '// Reads the store anew.'
expect 1 1 '// The stage gives records.'
expect 1 1 'func read(after: Int, isTold: Bool, tells: Int) {}'
expect 1 1 '# The house and its settings'
expect 1 1 'enum TypedRange {}'
expect 1 1 '// The store to begin with.'
expect 1 1 '// Rows are handed\n// on.'

expect 0 0 '// At most 3 rows after the first; it takes 5 seconds behind a reverse proxy, and is no longer needed.'
expect 0 0 'preconditionFailure("capacity exceeded"); let atMost = 3; struct ParserState {}'
