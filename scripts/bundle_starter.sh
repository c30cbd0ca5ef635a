#!/bin/sh
# Starts the program that has this file's name, with the loader and the libraries of its bundle. Not for: use outside a
# bundle, where scripts/make_bundle.sh copies it to.
#
# The loader's options stay in this process, unlike LD_LIBRARY_PATH, which other programs would inherit. --argv0 is the
# path by which the program starts itself again. `exec` keeps the process, so signals and the status are the program's.
# No process is started unless the path is a link: a start costs half a millisecond.

self=$0
case $self in
  /*) ;;
  *) self=$PWD/$self ;;
esac
while [ -h "$self" ]; do
  target=$(readlink "$self") || exit
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
folder=${self%/*}/..
case $folder in
  *[:\;]*)
    # The loader and iconv separate folders by these characters.
    echo "${self##*/}: the path '$self' contains ':' or ';'" >&2
    echo "  hint: move the bundle to another folder" >&2
    exit 64
    ;;
esac

# The character sets of iconv and the locale must be those of the bundle's C library.
export GCONV_PATH="$folder/lib/gconv" LOCPATH="$folder/lib/locale"
# Programs can't preload libraries that belong to the system's C library.
unset LD_PRELOAD

# The trusted certificates are the system's. libcurl knows only the path of the system that it was built for.
if [ -z "${SSL_CERT_FILE-}" ]; then
  for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem \
    /etc/ssl/cert.pem; do
    if [ -r "$file" ]; then
      export SSL_CERT_FILE="$file"
      break
    fi
  done
fi

exec "$folder/lib/ld-linux.so" --inhibit-cache --library-path "$folder/lib" --argv0 "$self" \
  "$folder/lib/programs/${self##*/}" "$@"
