#!/usr/bin/env bash
# Compiles the C sources without output, with all warnings as errors, by the clang of the Swift toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang=$(dirname "$(realpath "$(command -v swift)")")/clang
[[ -x $clang ]] || clang=clang
includes=()
for folder in Sources/C/*/include; do includes+=(-I "$folder"); done
status=0
while IFS= read -r file; do
  # Headers of other packages, such as zlib, are included as system headers, so their warnings are not reported.
  "$clang" -fsyntax-only -Wall -Wextra -Wconversion -Werror "${includes[@]}" -I "$(dirname "$file")/include" "$file" || status=1
done < <(git ls-files 'Sources/*.c' 'Tests/*.c' 'Fuzzing/Sources/*.c' 'Benchmarks/*.c')
exit "$status"
