#!/usr/bin/env bash
# Fails on words that the project does not use: file, line, word and what to write instead. `--count` prints counts.
# The list is in check_terms.py.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/check_terms.py" "$@"
