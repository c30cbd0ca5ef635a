#!/usr/bin/env bash
# Prints the options of `swift build` for release programs: without debug information and symbols. On Linux, the Swift
# runtime is linked statically, and the program for a fast start (docs/design/decisions/0019-program-start.md).
#
#   swift build $(scripts/release-flags.sh) --product NAME
#
# All release builds share these options, because different ones would recompile every module.
set -euo pipefail
# The trait with the dependencies of the program.
# The symbols are removed when the program is linked, so nothing needs debug information.
flags=(-c release --traits Tool -debug-info-format none)

if [[ $(uname) == Darwin ]]; then
  # Older systems lack a part of the runtime (Span), which would have to be beside the program. Xcode with Swift 6.3 needs
  # this one, too.
  flags+=(-Xswiftc -target -Xswiftc "$(uname -m)-apple-macosx26.0")
  # libzip is opened at run time; the flags of pkg-config would link it.
  flags+=(-Xlinker -dead_strip_dylibs)
else
  flags+=(--static-swift-stdlib -Xlinker -s)
  linking=$(cd "$(dirname "${BASH_SOURCE[0]}")/linking" && pwd)
  # The loader would look for the system's libraries in the program's folder first, under dozens of names.
  flags+=(--disable-local-rpath)
  # lld packs relative relocations, gold can't. The unwinder is linked in.
  flags+=(-Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
  # A program does not need the list of symbols that a static Swift runtime exports, which has 1.7 MB.
  flags+=(-Xlinker --no-export-dynamic)
  # Functions with the same machine code are kept once: the specialisations of generics are often alike.
  flags+=(-Xlinker --icf=all)
  # The tables for unwinding have 2.8 MB, their index 0.6. Only C++ exceptions need them, and no code in the program
  # catches any.
  flags+=(-Xlinker --no-eh-frame-hdr -Xlinker "$linking/no-unwind-tables.ld")
  # glibc loads packed relocations since 2.36.
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //') || true
  if [[ -n $glibc && $(printf '%s\n' 2.36 "$glibc" | sort -V | head -n 1) == 2.36 ]]; then
    flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
  fi
  # The C++ library is linked statically if its archive is installed: some systems package it separately.
  if compgen -G '/usr/lib/gcc/*/*/libstdc++.a' >/dev/null; then
    flags+=(-Xlinker "-L$linking")
  fi
fi
echo "${flags[*]}"
