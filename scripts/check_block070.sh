#!/usr/bin/env bash
# The sample app Block070 as a whole: all 100,000,000 numbers of 070, less those with 000 in them, as shards of 51 extensions, loaded entry
# by entry into the simulated phone, and what calls come to then.
#
#   scripts/check_block070.sh
#
# CDPIPE names the program (.build/release/cdpipe unless told otherwise). Exits 1 when anything is not as it must be; says how long the
# load took, and how much memory.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CDPIPE=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")
extensions=51

# shellcheck disable=SC2046 # a list of options
swift build --package-path "$root" $("$root"/scripts/release-flags.sh) --product block070-program >&2
program=$root/.build/release/block070-program

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/group"

# 98,552,781 numbers are left: with at most 1,940,000 in each, they need every extension.
"$CDPIPE" generate '+82 70 XXXX XXXX' --exclude '*000*' \
  | "$CDPIPE" emit --format store --block '*' --max-entries 1940000 --shards $extensions -o "$work/stores"
shards=("$work"/stores/*.cdstore)
((${#shards[@]} == extensions)) || { echo "check_block070.sh: ${#shards[@]} shards" >&2; exit 1; }

answers() {
  "$program" "$work/stores" $extensions "$work/group" \
    070-1234-5678 070-9999-9999 070-1001-0010 070-1000-5678 070-1234-0005 010-1234-5678 \
    | sed 's/ by com.example.block070.directory[0-9]*$//'
}
diff -u --label 'must be' --label 'is' - <(answers) <<END
$extensions of $extensions loaded, 98552781 numbers blocked
070-1234-5678 is blocked
070-9999-9999 is blocked
070-1001-0010 is blocked
070-1000-5678: unknown
070-1234-0005: unknown
010-1234-5678: unknown
END
