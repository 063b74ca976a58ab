#!/bin/sh
# See that Debian packages are there: root gets them installed, others get the one line to run.
#
#   scripts/packages.sh NAME... [maybe:NAME...]
#
# Exit: 0 all are there, 2 something is missing. Where there is no dpkg, programs are looked for by
# name instead; fonts, libraries and certificates are taken on trust. What is marked maybe: comes
# along when something else is missing and this release still has it; nothing waits for it.
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

missing='' welcome=''
for name in "$@"; do
    plain=${name#maybe:}
    if there "$plain"; then
        continue
    elif [ "$plain" = "$name" ]; then
        missing="$missing $name"
    else
        welcome="$welcome $plain"
    fi
done
if [ -z "$missing" ]; then
    exit 0
fi

if ! has dpkg-query || ! has apt-get; then
    echo "Missing:$missing. Please install them with the package manager of this system." >&2
    exit 2
fi

# Add the welcome packages that apt could install; it looks at the lists of the last update.
add_welcome() {
    for name in $welcome; do
        if apt-get install -qq --simulate "$name" >/dev/null 2>&1; then
            missing="$missing $name"
        fi
    done
}

if [ "$(id -u)" -ne 0 ]; then
    add_welcome
    echo "Debian packages are missing. Please run this line, then the same command again:" >&2
    echo "sudo apt-get update && sudo apt-get install -y$missing" >&2
    exit 2
fi

fail() {
    echo "apt-get could not install:$missing. Its own message stands above." >&2
    exit 2
}
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || fail
add_welcome
echo "==> Installing Debian packages:$missing"
# shellcheck disable=SC2086  # a list of names, none with spaces
apt-get install -y -qq --no-install-recommends $missing || fail
