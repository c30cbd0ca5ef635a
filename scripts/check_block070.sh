#!/usr/bin/env bash
# Checks the sample app Block070 as a whole: the 100,000,000 numbers of 070 without those that contain 000, as shards of
# 51 extensions, are loaded entry by entry into the simulated phone, which then answers calls.
#
#   scripts/check_block070.sh [--short]
#
# --short loads only the numbers of 070-1, in six extensions. CDPIPE names the program (default: .build/release/cdpipe),
# BLOCK070 the app's program (default: it is built). Exits 1 if a result differs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CDPIPE=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")
case ${1:-} in
  "")
    extensions=51
    # 98,552,781 numbers remain: with at most 1,940,000 in each, they need every extension.
    pattern='+82 70 XXXX XXXX'
    count=98552781
    outside=' is blocked'
    ;;
  --short)
    extensions=6
    pattern='+82 70 1XXX XXXX'
    count=9954009
    outside=': unknown'
    ;;
  *)
    echo "usage: scripts/check_block070.sh [--short]" >&2
    exit 64
    ;;
esac

program=${BLOCK070:-$root/.build/release/block070-program}
if [[ ! ${BLOCK070:-} ]]; then
  # shellcheck disable=SC2046 # a list of options
  swift build --package-path "$root" $("$root"/scripts/release-flags.sh) --product block070-program >&2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/group"

"$CDPIPE" generate "$pattern" --exclude '*000*' \
  | "$CDPIPE" emit --format store --block '*' --max-entries 1940000 --shards $extensions -o "$work/stores"
shards=("$work"/stores/*.cdstore)
((${#shards[@]} == extensions)) || { echo "check_block070.sh: ${#shards[@]} shards" >&2; exit 1; }

answers() {
  "$program" "$work/stores" $extensions "$work/group" \
    070-1234-5678 070-9999-9999 070-1001-0010 070-1000-5678 070-1234-0005 010-1234-5678 \
    | sed 's/ by com.example.block070.directory[0-9]*$//'
}
diff -u --label expected --label actual - <(answers) <<END
$extensions of $extensions loaded, $count numbers blocked
070-1234-5678 is blocked
070-9999-9999$outside
070-1001-0010 is blocked
070-1000-5678: unknown
070-1234-0005: unknown
010-1234-5678: unknown
END
echo "passed: $count blocked numbers"
