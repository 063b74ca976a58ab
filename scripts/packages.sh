#!/bin/sh
# See that Debian packages are there: root gets them installed, others get the one line to run.
#
#   scripts/packages.sh NAME...
#
# Exit: 0 all are there, 2 something is missing. Where there is no dpkg, programs are looked for by
# name instead; fonts, libraries and certificates are taken on trust.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }

there() {
    if has dpkg-query; then
        status=$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)
        [ "$status" = installed ]
    else
        case $1 in
            fonts-* | lib* | ca-certificates) true ;;
            *) has "$1" ;;
        esac
    fi
}

missing=
for name in "$@"; do
    there "$name" || missing="$missing $name"
done
if [ -z "$missing" ]; then
    exit 0
fi

if ! has dpkg-query || ! has apt-get; then
    echo "Missing:$missing. Please install them with the package manager of this system." >&2
    exit 2
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "Debian packages are missing. Please run this line, then the same command again:" >&2
    echo "sudo apt-get update && sudo apt-get install -y$missing" >&2
    exit 2
fi

echo "==> Installing Debian packages:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # a list of names, none with spaces
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; }; then
    echo "apt-get could not install:$missing. Its own message stands above." >&2
    exit 2
fi
