#!/usr/bin/env bash
# Prints the libraries that cdpipe opens at run time (docs/design/decisions/0005-libraries-at-run-time.md), as `NAME PATH`:
# of the names of each library in Sources/C, the first that this system has.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The path of a library by its name.
library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }'; }

# A line with all names of one library, such as `libzip.so.5 libzip.so.4`, in the order of preference.
grep -ohE '"lib[a-z0-9-]+\.so\.[0-9.]+"' "$root"/Sources/C/*/*.c | tr -d '"' | awk '
  { library = $0; sub(/[-.].*/, "", library) }
  !(library in names) { order[++count] = library }
  { names[library] = names[library] " " $0 }
  END { for (i = 1; i <= count; i++) print names[order[i]] }
' | while read -r names; do
  path=
  for name in $names; do
    path=$(library "$name")
    if [[ -n $path ]]; then break; fi
  done
  [[ -n $path ]] || {
    echo "opened_libraries: none of these is installed: $names" >&2
    exit 1
  }
  echo "$name $path"
done
