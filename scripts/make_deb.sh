#!/usr/bin/env bash
# Makes Debian packages, cdpipe and cdpipe-server, of what `make install` has put into FOLDER/staged.
#
#   scripts/make_deb.sh FOLDER LICENCES
#
# Writes FOLDER/*.deb. LICENCES is the folder that scripts/copy_licences.sh made. The same files make the same packages.
set -euo pipefail
export LC_ALL=C
umask 022
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if (($# != 2)); then
  echo "usage: scripts/make_deb.sh FOLDER LICENCES" >&2
  exit 64
fi
folder=$(realpath "$1")
licences=$(realpath "$2")
staged=$folder/staged
version=$("$staged/usr/bin/cdpipe" --version)
seconds=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH=$seconds

source=$folder/cdpipe-$version
rm -rf "$source" "$folder"/*.deb
mkdir "$source"
mv "$staged" "$source/"
cp -R "$root/packaging/debian" "$source/debian"

# A tilde sorts before everything: a version in development is older than its release.
maintainer=$(sed -n 's/^Maintainer: //p' "$source/debian/control")
cat >"$source/debian/changelog" <<END
cdpipe (${version/-/\~}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(date -R -u -d "@$seconds")
END

# Debian has one file of licences per package, which refers to the common ones instead of repeating them.
{
  cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cdpipe

Files: *
Copyright: The authors of cdpipe and of the packages below
License: Apache-2.0
Comment: The programs contain these packages under the same licence:
END
  others=()
  for path in "$licences"/*; do
    name=$(basename "$path" .txt)
    if [[ $name == *.NOTICE ]]; then
      others+=("$path")
    elif grep -q 'Apache License' "$path" && grep -q 'Version 2.0' "$path"; then
      if [[ $name != cdpipe ]]; then echo " ${name%.LICENSE*}"; fi
    else
      others+=("$path")
    fi
  done
  for path in "${others[@]}"; do
    printf ' .\n %s:\n .\n' "$(basename "$path" .txt)"
    tr -d '\f\r' <"$path" | sed 's/^[[:space:]]*$/./; s/^/ /'
  done
  cat <<'END'

License: Apache-2.0
 On Debian systems, the text of the licence is in /usr/share/common-licenses/Apache-2.0.
END
} >"$source/debian/copyright"

# What is opened at run time is recommended, by the packages that this system has it from.
recommended=
while read -r _ path; do
  for own in "$path" "/usr$path" "${path#/usr}" "$(realpath "$path")"; do
    if line=$(dpkg-query -S "$own" 2>/dev/null); then break; fi
  done
  recommended+="${recommended:+, }${line%%[:,]*}"
done < <("$root/scripts/opened_libraries.sh")

cd "$source"
OPENED=$recommended dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes --no-check-builddeps \
  >"$folder/build.log" 2>&1 || {
  tail -n 30 "$folder/build.log" >&2
  exit 1
}
ls -l "$folder"/*.deb
