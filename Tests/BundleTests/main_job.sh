#!/bin/sh
# What a program must do the same in a bundle, in the current folder, whose lists bundle_in_roots.sh made. Its results
# and messages are in `out`. Runs in systems that have a POSIX shell and hardly anything else.
#
#   CDPIPE=PROGRAM [URL=URL] main_job.sh
set -eu
mkdir out

# Keeps what a command prints and its status, without times and memory.
note() {
  name=$1
  shift
  status=0
  "$@" >"out/$name.txt" 2>"out/$name.errors" || status=$?
  sed -e 's/, in [0-9.]* s$/, in … s/' "out/$name.errors" >"out/$name.messages"
  sed -i -e 's/with [0-9.]* MiB of memory/with … of memory/' "out/$name.txt"
  rm "out/$name.errors"
  echo "$name $status" >>out/statuses
}

# The formats, and the libraries that are opened at run time.
note version "$CDPIPE" version
note number "$CDPIPE" number +8613800138000
note wrong-option "$CDPIPE" sort --no-such
note no-number "$CDPIPE" number nothing

# Zip, JSON, CSV, GB18030, a guessed encoding, XML, a workbook, a database; stores, CSV, JSON, a plist and a database.
note run "$CDPIPE" run lists.yaml
note verify "$CDPIPE" verify out/public
note cat "$CDPIPE" cat out/public

# Filters in a pipe.
{
  "$CDPIPE" unzip lists/marked.zip | "$CDPIPE" parse --format json --quiet |
    "$CDPIPE" normalize --region CN --quiet | "$CDPIPE" sort | "$CDPIPE" dedupe --keep first --quiet |
    "$CDPIPE" emit --quiet -o out/pipe.cdstore
} 2>out/pipe.messages

# Every character set in the list has a module of iconv.
note encodings "$CDPIPE" parse --encodings
for file in lists/encodings/*; do
  note "encoding-${file##*/}" "$CDPIPE" parse --format tsv --encoding "${file##*/}" "$file"
done

# Programs that start themselves again.
note simulate "$CDPIPE" simulate --memory-limit 12MiB out/pipe.cdstore
note bench "$CDPIPE" bench --rows 1000
rm out/bench.*

# The certificate is where the starter looks for it, or where SSL_CERT_FILE names it.
if [ -n "${URL-}" ]; then note download "$CDPIPE" download --retries 0 "$URL"; fi
