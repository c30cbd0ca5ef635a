#!/usr/bin/env bash
# Compares the number matcher with libphonenumber's C++ library, on one core, and checks that it does not allocate.
#
#   Benchmarks/numbers/run.sh
#
#   LINES=1000000       numbers in the file of mixed forms
#   PEER_LINES=200000   numbers for the alternating runs of both programs; fewer, because libphonenumber is slow
#   ROUNDS=3            rounds; the medians count
#   ANSWERS=FILE        number-answers (default: .build/release/number-answers)
#
# Both do the same work: parse with the region, check whether the number is valid, format as E.164. libphonenumber is
# also timed without the validity check; the bar of 150 applies to that stricter ratio. Without libphonenumber (Debian's
# libphonenumber-dev, and g++), only our rate is measured, and the script reports that. Exits with 1 if more rounds
# allocate more.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lines=${LINES:-1000000}
peer_lines=${PEER_LINES:-200000}
rounds=${ROUNDS:-3}
answers=${ANSWERS:-$PWD/.build/release/number-answers}
here=Benchmarks/numbers
data=Benchmarks/data
forms=$data/forms-$lines.tsv
shared=$data/forms-$lines-first-$peer_lines.tsv

if [[ ! -x $answers ]]; then
  echo "run.sh: '$answers' is missing" >&2
  echo "  hint: build it with \`swift build --traits Tool -c release --product number-answers\`, or set ANSWERS=FILE" >&2
  exit 127
fi

mkdir -p "$data"
if [[ ! -f $forms || $here/make_forms.py -nt $forms ]]; then
  echo "Making $lines numbers in $forms" >&2
  python3 $here/make_forms.py --lines "$lines" "$forms"
fi
head -n "$peer_lines" "$forms" >"$shared"

# The median of the numbers on standard input.
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
# Formats a rate.
million() { awk -v rate="$1" 'BEGIN { printf "%.3f M numbers/s", rate / 1e6 }'; }

peer=
header='#include <phonenumbers/phonenumberutil.h>'
if command -v g++ >/dev/null && g++ -fsyntax-only -x c++ - <<<"$header" 2>/dev/null; then
  peer=$data/libphonenumber
  [[ $peer -nt $here/libphonenumber.cc ]] || g++ -std=c++17 -O2 -o "$peer" $here/libphonenumber.cc -lphonenumber
fi

ours=() theirs=() theirs_parsing=()
for ((round = 0; round < rounds; round++)); do
  ours+=("$("$answers" --rate "$shared" --rounds 5)")
  if [[ $peer ]]; then
    theirs+=("$("$peer" "$shared" --valid 2>/dev/null)")
    theirs_parsing+=("$("$peer" "$shared" 2>/dev/null)")
  fi
done
our_rate=$(printf '%s\n' "${ours[@]}" | median)

echo "$peer_lines numbers of mixed forms, one core, median of $rounds"
echo "  NumberPlan: parse, valid?, E.164                $(million "$our_rate")"
if [[ $peer ]]; then
  same=$(printf '%s\n' "${theirs[@]}" | median)
  parsing=$(printf '%s\n' "${theirs_parsing[@]}" | median)
  echo "  libphonenumber C++: parse, valid?, E.164        $(million "$same")   1/$((our_rate / same))"
  echo "  libphonenumber C++: parse, E.164 only           $(million "$parsing")   1/$((our_rate / parsing)), bar 1/150"
else
  echo "  libphonenumber C++ is not installed, so nothing is compared: apt-get install libphonenumber-dev g++"
fi
echo "  NumberPlan, all $lines numbers                  $(million "$("$answers" --rate "$forms" --rounds 5)")"

if ! command -v cc >/dev/null; then
  echo "  allocations are not counted: the C compiler cc is missing"
  exit 0
fi
counter=$data/count_allocations.so
[[ $counter -nt $here/count_allocations.c ]] || cc -shared -fPIC -O2 -o "$counter" $here/count_allocations.c
allocations() {
  LD_PRELOAD=$PWD/$counter "$answers" --rate "$shared" --rounds "$1" 2>&1 >/dev/null | sed -n 's/^allocations: //p'
}
once=$(allocations 1) often=$(allocations 5)
echo "  allocations: $once in 1 round, $often in 5 rounds of $peer_lines numbers"
if [[ -z $once || $once != "$often" ]]; then
  echo "run.sh: a round allocates, but must not" >&2
  exit 1
fi
