#!/usr/bin/env bash
# Prints the libraries that cdpipe opens at run time (docs/design/decisions/0005-libraries-at-run-time.md), as `NAME PATH`:
# of each C file in Sources/C that names some, the first that this system has.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The path of a library by its name.
library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }'; }

for shim in "$root"/Sources/C/*/*.c; do
  names=$(grep -oE '"lib[a-z0-9-]+\.so\.[0-9]+"' "$shim" | tr -d '"') || continue
  path=
  for name in $names; do
    path=$(library "$name")
    if [[ -n $path ]]; then break; fi
  done
  [[ -n $path ]] || {
    echo "opened_libraries: none of these is installed: ${names//$'\n'/ }" >&2
    exit 1
  }
  echo "$name $path"
done
