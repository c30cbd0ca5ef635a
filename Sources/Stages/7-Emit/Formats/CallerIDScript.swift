// The script that processes the shards with Apple's program, those that have changed.

enum CallerIDScript {
  static let text = #"""
    #!/bin/sh
    # Processes the shards of this directory with Apple's PIRProcessDatabase, those that have changed since the last time.
    #
    #   process.sh [-j JOBS] [-n] OUTPUT
    #
    #   OUTPUT   the directory of the processed shards, in which PIRService is started; it is created
    #   -j JOBS  the number of shards to process at a time (default: 1)
    #   -n       only print the names of the shards that have changed
    #
    # PIR_PROCESS_DATABASE is the program (default: PIRProcessDatabase). A shard has changed if its rows or its
    # configuration have, or its results are missing. OUTPUT/processed.txt lists what was processed. Exits with 0 if all
    # shards are processed, with 1 if some are not, with 75 if another process.sh is at work there.
    set -eu

    # Processes one shard, given its name and the hashes of its rows and its configuration.
    process() {
      work=$(mktemp -d "$OUTPUT/.work.XXXXXX")
      program=
      trap 'rm -rf "$work"' EXIT
      trap '[ -z "$program" ] || kill "$program" 2>/dev/null; exit 143' HUP INT TERM
      echo $$ >"$work/pid"
      # xargs has ended: so has the script that started it.
      kill -0 "$PPID" 2>/dev/null || exit 143
      cd "$work"
      ln -s "$SOURCE/$1.binpb" "$SOURCE/$1.json" .
      check "$@" || {
        echo "process.sh: $1 is damaged" >&2
        exit 1
      }
      # The program fills its table in random order; rarely, a row does not fit.
      for attempt in 1 2 3; do
        "$PIR_PROCESS_DATABASE" "$1.json" >log 2>&1 9>&- &
        program=$!
        if wait "$program" && [ -s "$1.bin" ]; then
          check "$@" || {
            echo "process.sh: $1 was replaced while it was processed; start process.sh again" >&2
            exit 1
          }
          mv -f "$1.params.txtpb" "$1.bin" "$OUTPUT/"
          echo "$1 $2 $3" >>"$OUTPUT/processed.txt"
          exit 0
        fi
      done
      echo "process.sh: $1 failed $attempt times; the last lines of its log:" >&2
      tail -n 3 log >&2
      exit 1
    }
    # Whether the files of a shard have the hashes in the list.
    check() {
      printf '%s  %s\n' "$2" "$1.binpb" "$3" "$1.json" | sha256sum --check --status -
    }
    # xargs starts this script again for each shard.
    if [ -n "${PROCESSES_ONE_SHARD:-}" ]; then process "$@"; fi

    usage() {
      echo "usage: process.sh [-j JOBS] [-n] OUTPUT" >&2
      exit 64
    }
    jobs=1 only_prints=
    while getopts j:n option; do
      case $option in
      j) jobs=$OPTARG ;;
      n) only_prints=1 ;;
      *) usage ;;
      esac
    done
    shift $((OPTIND - 1))
    [ $# -eq 1 ] || usage
    case $jobs in '' | *[!0-9]* | 0*) usage ;; esac
    self=$(readlink -f -- "$0")
    SOURCE=${self%/*}
    [ -f "$SOURCE/SHA256SUMS" ] || {
      echo "process.sh: '$SOURCE/SHA256SUMS' is missing" >&2
      exit 66
    }
    [ -n "$only_prints" ] || mkdir -p -- "$1"
    OUTPUT=$1
    if [ -d "$OUTPUT" ]; then OUTPUT=$(CDPATH='' cd -- "$OUTPUT" && pwd -P); fi
    case "$OUTPUT/" in
    "$SOURCE/"*)
      echo "process.sh: the output must be another directory: 'emit' replaces this one" >&2
      exit 64
      ;;
    esac
    PIR_PROCESS_DATABASE=${PIR_PROCESS_DATABASE:-PIRProcessDatabase}
    export SOURCE OUTPUT PIR_PROCESS_DATABASE

    # Name, hash of the rows, hash of the configuration.
    shards() {
      awk '$2 ~ /\.binpb$/ { rows = $1 } $2 ~ /-[0-9]+\.json$/ { sub(/\.json$/, "", $2); print $2, rows, $1 }' \
        "$SOURCE/SHA256SUMS"
    }
    processed=$OUTPUT/processed.txt
    [ -f "$processed" ] || processed=/dev/null
    changed() {
      shards | awk -v done="$processed" -v output="$OUTPUT" '
        BEGIN {
          split(".bin .params.txtpb", results, " ")
          while ((getline line < done) > 0) { split(line, part, " "); is_done[part[1]] = line }
        }
        is_done[$1] != $0 { print; next }
        {
          missing = 0
          for (end in results) {
            result = output "/" $1 results[end]
            if ((getline line < result) <= 0) missing = 1
            close(result)
          }
          if (missing) print
        }'
    }
    if [ -n "$only_prints" ]; then
      changed | cut -d ' ' -f 1
      exit 0
    fi
    command -v "$PIR_PROCESS_DATABASE" >/dev/null || {
      echo "process.sh: '$PIR_PROCESS_DATABASE' is not installed; PIR_PROCESS_DATABASE may name it" >&2
      exit 69
    }
    # One process.sh at a time. The lock ends with the last of its processes; without flock, there is none.
    exec 9>"$OUTPUT/.lock"
    if command -v flock >/dev/null; then
      flock -n 9 || {
        echo "process.sh: another process.sh is at work in '$OUTPUT'" >&2
        exit 75
      }
      # What a killed one left.
      rm -rf "$OUTPUT"/.work.*
    fi
    # Without the lock, there may be others.
    list=$(mktemp "$OUTPUT/.work.list.XXXXXX")
    xargs=
    # Ends all processes that were started, which remove their files, and exits with a status.
    stop() {
      trap '' HUP INT TERM
      if [ -n "$xargs" ]; then
        kill "$xargs" 2>/dev/null || :
        wait "$xargs" 2>/dev/null || :
        for _ in 1 2 3 4 5 6 7 8 9 10; do
          running=
          for pid in "$OUTPUT"/.work.*/pid; do
            if [ -f "$pid" ] && kill "$(cat "$pid")" 2>/dev/null; then running=1; fi
          done
          [ -n "$running" ] || break
          sleep 0.1
        done
      fi
      exit "$1"
    }
    trap 'rm -f "$list"' EXIT
    trap 'stop 129' HUP
    trap 'stop 130' INT
    trap 'stop 143' TERM
    changed >"$list"
    # Without a list, xargs would start the script once.
    if [ -s "$list" ]; then
      PROCESSES_ONE_SHARD=1 xargs -P "$jobs" -n 3 sh "$SOURCE/process.sh" <"$list" &
      xargs=$!
      wait "$xargs" || {
        echo "process.sh: some shards are not processed; the others are complete" >&2
        exit 1
      }
      xargs=
    fi

    # Shards that do not exist any more.
    for file in "$OUTPUT"/identity-*.bin "$OUTPUT"/block-*.bin; do
      name=${file##*/}
      name=${name%.bin}
      if [ -f "$file" ] && [ ! -f "$SOURCE/$name.binpb" ]; then rm -f "$file" "${file%.bin}.params.txtpb"; fi
    done
    # The service's configuration, with the users and tokens of users.json.
    [ -f "$OUTPUT/users.json" ] || {
      echo '[]' >"$OUTPUT/users.json"
      echo "process.sh: add users and their tokens to $OUTPUT/users.json, or the service refuses every phone" >&2
    }
    users=$(tr -d ' \t\r\n' <"$OUTPUT/users.json")
    case $users in
    '[]' | '[{'*'}]') ;;
    *)
      echo "process.sh: '$OUTPUT/users.json' is not a JSON array of objects" >&2
      exit 65
      ;;
    esac
    {
      sed '/"users"/,$d' "$SOURCE/service-config.json"
      printf '  "users": '
      cat "$OUTPUT/users.json"
      echo '}'
    } >"$OUTPUT/.service-config.json"
    mv -f "$OUTPUT/.service-config.json" "$OUTPUT/service-config.json"

    """#
}
