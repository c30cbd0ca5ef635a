#!/usr/bin/env bash
# Checks pages of real runs in Chromium: a first night, one without changes, an ordinary one, one without one of its
# sources, failed ones, one after 30 nights, one with hostile labels, one with many labels, and the index of a folder
# after a hundred nights.
#
#   Report/check.sh [SCREENSHOT-PREFIX]
#
# CDPIPE is the program (default: .build/release/cdpipe). cdpipe-report must be next to it (`make report`), or
# CDPIPE_REPORT names it. PYTHONPATH leads to axe-core (scripts/python-packages.sh --report). With a prefix, saves
# screenshots of the pages: PREFIX-first-1280-light.png, PREFIX-first-375-dark.png and so on.
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
seq 3125550000 11 3125552600 | sed 's/$/\tTelemarketer/' >>mine.tsv
sed -i '10,40s/Robocaller/Debt collector/; 60,70d' mine.tsv
cdpipe run -q nightly.yaml --set publish.max-change=0.01% --report refused.json --report refused.html 2>errors && exit 1
cdpipe run -q nightly.yaml --report ordinary.json --report ordinary.html
echo '<html>Service unavailable</html>' >page.html
# Pretend that all sources were last good two days ago.
sed -i "s/\"good\" : [0-9]*/\"good\" : $(($(date +%s) - 180000))/" public/.publish.json
sed -i '200,230d' mine.tsv
cdpipe run -q nightly.yaml --set sources.lists.path=page.html --report whole.json --report whole.html 2>errors
grep -q ', 2 days old' errors
printf '%s\n' $'8613800138000\t</title><script>alert(1)</script>' $'8613800138001\t\u0600<script>alert(2)</script>' \
  $'8613800138002\t" onload="alert(3)' $'8613800138003\t\u202etxt.exe' '<img src=x onerror=alert(4)>' >hostile.tsv
cdpipe run -q --pipe 'parse --format lines hostile.tsv | normalize | sort | dedupe | emit -o "<b>.cdstore"' \
  --report hostile.json --report hostile.html
cdpipe run -q nightly.yaml --set sources.mine.path=absent.tsv --report failed.json --report failed.html 2>errors && exit 1
seq 10000 | awk '{ printf "%.0f\tlabel %d\n", 8613800000000 + $1 * 100003, $1 }' >many.tsv
cdpipe run -q --pipe 'emit many.tsv -o many.cdstore' --report many.json --report many.html

# A hundred nights, of which the folder keeps the default number of versions.
for night in $(seq 2 101); do
  seq "31255500$((night % 90 + 10))" 11 "3125$((553000 + night * 40))" | sed 's/$/\tTelemarketer/' >mine.tsv
  reports=()
  if ((night == 31)); then reports=(--report thirty.json --report thirty.html); fi
  cdpipe run -q nightly.yaml --set publish.directory=nights "${reports[@]}"
  if ((night == 60)); then cdpipe rollback nights 2>errors; fi
  if ((night % 20 == 0)); then cdpipe run -q nightly.yaml --set publish.directory=nights; fi
done
cdpipe history nights --html nights/index.html --report failed.json
# The page in the folder does not belong to a version.
cdpipe verify -q nights
cdpipe run -q nightly.yaml --set publish.directory=nights
# What the page was made of: a program in place of cdpipe-report copies it.
printf '#!/bin/sh\ncat\n' >copy && chmod +x copy
CDPIPE_REPORT=./copy cdpipe history nights --html copied.html --report failed.json
mv copied.html hundred.json
cdpipe history nights --html hundred.html --report failed.json

status=0
# Swift's next version of ICU has another name for its data (Report/Sources/CLocaleData).
program=$(realpath "${CDPIPE_REPORT:-$(dirname "$cdpipe")/cdpipe-report}")
if (($(wc -c <"$program") > 25000000)); then
  echo "Report/check.sh: cdpipe-report has more than 25 MB: does it contain ICU's data?" >&2
  status=1
fi
check() { python3 "$root/Report/Tests/ReportPageTests/check_page.py" "$@"; }
for name in first still refused ordinary whole failed hostile many thirty hundred; do
  check $name.json $name.html ${prefix:+"$prefix-$name"} || {
    echo "Report/check.sh: the page of '$name' has the errors listed above" >&2
    status=1
  }
done
# Check that the checker detects wrong pages.
sed 's/<h1>/<script>document.title = 1<\/script><h1>/' whole.html >scripted.html
sed '0,/<td class="figure "><bdi>/s//<td class="figure "><bdi>9/' whole.html >wrong.html
sed 's/<span class="minus">−\([0-9,]*\)/<span class="minus">\1/' whole.html >published.html
sed 's/ is a web page/ is a list/' whole.html >trouble.html
sed 's/<table /<table style="width: 2000px" /' whole.html >wide.html
sed 's/class="status warn"/class="status good"/' whole.html >good.html
sed 's/--soft: #565d69/--soft: #b0b4bb/' whole.html >pale.html
for name in scripted wrong published trouble wide good pale; do
  if check whole.json $name.html >said; then
    echo "Report/check.sh: the checker did not detect the error in the page '$name'" >&2
    status=1
  fi
done
((status)) || echo "passed: 10 report pages"
exit "$status"
