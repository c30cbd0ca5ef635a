#!/usr/bin/env bash
# Checks pages of real runs in Chromium: a successful one that publishes without one of its sources, one without
# changes, failed ones, one with hostile labels, and one with many labels.
#
#   Report/check.sh [SCREENSHOT-PREFIX]
#
# CDPIPE is the program (default: .build/release/cdpipe). cdpipe-report must be next to it (`make report`), or
# CDPIPE_REPORT names it. With a prefix, saves screenshots of the successful run's page: PREFIX-light.png, -dark.png,
# -phone.png.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=${1:+$(realpath -m "$1")}
cdpipe=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/samples" "$work"
cd "$work"

cat >nightly.yaml <<'YAML'
name: nightly
sources:
  - { name: marked, path: samples/marked.json, normalize: { region: CN } }
  - { name: book, path: samples/phonebook.xml, normalize: { region: DE } }
  - { name: lists, path: samples/saracroche.json, normalize: { region: FR }, use-last-good: true }
  - { name: mine, path: mine.tsv, parse: { format: lines }, normalize: { region: US } }
dedupe: { conflicts: conflicts.tsv }
emit:
  - { format: store, max-entries: 20000000, block: ["诈骗*"] }
  - { path: all.csv }
publish: { directory: public }
YAML
{
  seq 2125550100 7 2125551999 | sed 's/$/\tRobocaller/'
  printf '%s\n' 'no number at all' '12' '555' '+999 1234567'
} >mine.tsv
cdpipe() { "$cdpipe" "$@"; }
cdpipe run -q nightly.yaml --report first.json --report first.html
cdpipe run -q nightly.yaml --report still.json --report still.html
seq 2125552000 7 2125552100 | sed 's/$/\tRobocaller/' >>mine.tsv
echo '<html>Service unavailable</html>' >page.html
cdpipe run -q nightly.yaml --set publish.max-change=0.01% --report refused.json --report refused.html 2>errors && exit 1
# Pretend that all sources were last good two days ago.
sed -i "s/\"good\" : [0-9]*/\"good\" : $(($(date +%s) - 180000))/" public/.publish.json
cdpipe run -q nightly.yaml --set sources.lists.path=page.html --report whole.json --report whole.html 2>errors
grep -q ', 2 days old' errors
printf '%s\n' $'8613800138000\t</title><script>alert(1)</script>' $'8613800138001\t\u0600<script>alert(2)</script>' \
  $'8613800138002\t" onload="alert(3)' $'8613800138003\t\u202etxt.exe' '<img src=x onerror=alert(4)>' >hostile.tsv
cdpipe run -q --pipe 'parse --format lines hostile.tsv | normalize | sort | dedupe | emit -o "<b>.cdstore"' \
  --report hostile.json --report hostile.html
cdpipe run -q nightly.yaml --set sources.mine.path=absent.tsv --report failed.json --report failed.html 2>errors && exit 1
seq 10000 | awk '{ printf "%.0f\tlabel %d\n", 8613800000000 + $1 * 100003, $1 }' >many.tsv
cdpipe run -q --pipe 'emit many.tsv -o many.cdstore' --report many.json --report many.html

status=0
# Swift's next version of ICU has another name for its data (Report/Sources/CLocaleData).
program=$(realpath "${CDPIPE_REPORT:-$(dirname "$cdpipe")/cdpipe-report}")
if (($(wc -c <"$program") > 25000000)); then
  echo "Report/check.sh: cdpipe-report has more than 25 MB: does it contain ICU's data?" >&2
  status=1
fi
for name in whole first still refused hostile failed many; do
  shots=()
  if [[ $name == whole && $prefix ]]; then shots=("$prefix"); fi
  python3 "$root/Report/Tests/ReportPageTests/check_page.py" $name.json $name.html "${shots[@]}" || {
    echo "Report/check.sh: the page of the run '$name' has the errors listed above" >&2
    status=1
  }
done
# Check that the checker detects wrong pages.
sed 's/<h1>/<script>document.title = 1<\/script><h1>/' whole.html >scripted.html
sed '0,/<td class="figure"><bdi>/s//<td class="figure"><bdi>9/' whole.html >wrong.html
sed 's/−\([0-9,]*\) numbers/\1 numbers/' whole.html >published.html
sed 's/ is a web page/ is a list/' whole.html >trouble.html
for name in scripted wrong published trouble; do
  if python3 "$root/Report/Tests/ReportPageTests/check_page.py" whole.json $name.html >said; then
    echo "Report/check.sh: the checker did not detect the error in the page '$name'" >&2
    status=1
  fi
done
exit "$status"
