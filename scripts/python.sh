#!/bin/sh
# Print the Python to use: the first of $PYTHON, python3.11, 3.12, 3.13 and python3 that is 3.11 or
# newer. Exit 1, without a word, when there is none.
set -eu

for candidate in "${PYTHON:-}" python3.11 python3.12 python3.13 python3; do
    # A name on PATH may be a shim that only fails, so each candidate is run.
    if [ -n "$candidate" ] &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        echo "$candidate"
        exit 0
    fi
done
exit 1
