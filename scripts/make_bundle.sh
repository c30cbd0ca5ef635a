#!/usr/bin/env bash
# Makes a bundle: programs with the loader and all libraries that they need, which starts on systems whose C library is
# older than that of this one (docs/operations/bundle.md).
#
#   scripts/make_bundle.sh FOLDER PROGRAM...
#
# Makes FOLDER, replacing an earlier bundle, and FOLDER.tar.gz with the same files. The same input makes the same bytes.
# PROGRAM is started as FOLDER/bin/NAME. The licences are those of Debian's packages and of the Swift packages in
# .build/checkouts, so a bundle is made on Debian or Ubuntu, after a build.
set -euo pipefail
export LC_ALL=C
umask 022

fail() {
  echo "make_bundle: $*" >&2
  exit 1
}

if (($# < 2)); then
  echo "usage: scripts/make_bundle.sh FOLDER PROGRAM..." >&2
  exit 64
fi
folder=$(realpath -m "$1")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# cdpipe-report has packages of its own.
checkouts=("$root/.build/checkouts" "$root/Report/.build/checkouts")
if [[ -e $folder && ! -e $folder/licences/libraries.txt ]]; then fail "'$folder' exists and is not a bundle"; fi
for needed in dpkg-query readelf ldconfig swift; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$needed" >/dev/null || fail "'$needed' is missing"
done

new=$folder.new
rm -rf "$new"
trap 'rm -rf "$new" "$folder.tar.gz.new"' EXIT
mkdir -p "$new"/{bin,lib/programs,lib/locale,licences}

# The path of a library by its name.
library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }'; }

# The libraries that a program or library is linked with, with those that they are linked with, as `NAME PATH`.
linked() { "$loader" --list "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }'; }

# Copies a library under the name by which others ask for it, and notes its origin.
add_library() {
  local path
  path=$(realpath "$2")
  if [[ -e $new/lib/$1 ]]; then return; fi
  install -m 644 "$path" "$new/lib/$1"
  echo "lib/$1 $path" >>"$new/origins"
}

loader=$(readelf -l "$1" | sed -n 's/.*Requesting program interpreter: \(.*\)]$/\1/p')
[[ -x $loader ]] || fail "'$1' is not a dynamically linked program"
[[ $("$loader" --help) == *--argv0* ]] || fail "the loader has no --argv0: glibc 2.33 or newer is needed"

opened=$("$root/scripts/opened_libraries.sh")
{
  for program in "$@"; do linked "$program"; done
  while read -r name path; do
    echo "$name $path"
    linked "$path"
  done <<<"$opened"
  # The C library opens it when a thread is cancelled.
  echo "libgcc_s.so.1 $(library libgcc_s.so.1)"
} | sort -u >"$new/wanted"
while read -r name path; do add_library "$name" "$path"; done <"$new/wanted"
[[ -e $new/lib/libc.so.6 ]] || fail "'$1' is not linked with glibc"

# iconv's character sets, and the locale that the program sets. The cache of the character sets has absolute paths.
c_library=$(dirname "$(realpath "$(library libc.so.6)")")
cp -rL "$c_library/gconv" "$new/lib/gconv"
rm -f "$new/lib/gconv/gconv-modules.cache"
mkdir "$new/lib/locale/C.utf8"
install -m 644 /usr/lib/locale/C.utf8/LC_CTYPE "$new/lib/locale/C.utf8/"
{
  echo "lib/gconv $c_library/gconv/gconv-modules"
  echo "lib/locale /usr/lib/locale/C.utf8/LC_CTYPE"
  echo "lib/ld-linux.so $(realpath "$loader")"
} >>"$new/origins"

# The name begins with `ld-`, by which the program recognises that a loader started it (ProgramPath).
install -m 755 "$(realpath "$loader")" "$new/lib/ld-linux.so"
for program in "$@"; do
  install -m 755 "$program" "$new/lib/programs/"
  install -m 755 "$root/scripts/bundle_starter.sh" "$new/bin/$(basename "$program")"
done

# The package of a file. Its path in the list of packages may have /usr in front, or not.
package() {
  local line path
  for path in "$1" "${1#/usr}" "/usr$1"; do
    if line=$(dpkg-query -S "$path" 2>/dev/null); then
      echo "${line%%[:,]*}"
      return
    fi
  done
  fail "no package has '$1'; its licence is not known"
}

swift=$(realpath "$(command -v swift)")
toolchain=${swift%/bin/*}
sort "$new/origins" | while read -r file path; do
  # A debug build's runtime is not linked statically.
  if [[ $path == "$toolchain"/* ]]; then
    echo "$file: swift"
    continue
  fi
  owner=$(package "$path")
  dpkg-query -W -f="$file: \${Package} \${Version}, source \${source:Package} \${source:Version}\n" "$owner" | sed -n 1p
  if [[ ! -e $new/licences/$owner.txt ]]; then
    cp -L "/usr/share/doc/$owner/copyright" "$new/licences/$owner.txt" || fail "the package '$owner' has no licence"
  fi
done >"$new/libraries"
# The texts that Debian's files of licences refer to.
grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$new"/licences/*.txt | sort -u | while read -r path; do
  if [[ -e $path ]]; then cp -L "$path" "$new/licences/$(basename "$path").common.txt"; fi
done
"$root/scripts/copy_licences.sh" "$new/licences" "${checkouts[@]}"
mv "$new/libraries" "$new/licences/libraries.txt"
rm "$new/origins" "$new/wanted"

# Everything must come from the bundle.
for file in "$new"/lib/programs/* "$new"/lib/lib*; do
  outside=$("$new/lib/ld-linux.so" --inhibit-cache --library-path "$new/lib" --list "$file" |
    awk -v own="$new/lib/" '$2 == "=>" && index($3, own) != 1') || fail "'$file' does not load"
  [[ -z $outside ]] || fail "'$file' needs files outside of the bundle: $outside"
done

find "$new" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-315532800}" {} +
tar --create --directory "$new" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
  --mode=u=rwX,go=rX bin lib licences | gzip --no-name --best >"$folder.tar.gz.new"
rm -rf "$folder"
mv "$new" "$folder"
mv "$folder.tar.gz.new" "$folder.tar.gz"
du --apparent-size -sh "$folder" "$folder.tar.gz"
