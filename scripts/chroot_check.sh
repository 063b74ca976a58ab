#!/bin/bash
# Prove the set-up on a bare Debian 12: `make demo` and `make test`, as root and as a plain user.
#
#   sudo scripts/chroot_check.sh GIT_URL_OR_PATH FOLDER
#
# FOLDER becomes the bare system (debootstrap, made if it is not there) and is kept. COPY="FILE..."
# copies files of this machine into it first, such as a pip.conf or a company's certificates.
set -euo pipefail
source=${1:?which repository?} root=${2:?which folder for the bare system?}

if [ ! -e "$root/etc/debian_version" ]; then
    debootstrap --variant=minbase --include=make,git bookworm "$root"
fi
for file in ${COPY:-}; do
    install -D -m 644 "$file" "$root$file"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"

unmount() { umount -l "$root/dev" "$root/proc"; }
mount --bind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
trap unmount EXIT

in_root() { env -i PATH="$PATH" TERM=dumb HOME=/root chroot "$root" /bin/bash -ec "$1"; }
in_user() { in_root "su - tester -c '$1'"; }
pass() { echo "PASS: $1"; }

rm -rf "${root:?}"/{root/assay,home/tester}
in_root 'id tester >/dev/null 2>&1 || useradd --shell /bin/bash tester'
for home in root home/tester; do
    git clone -q --no-hardlinks "$source" "$root/$home/assay"
done
in_root 'chown -R tester: /home/tester'

if ! in_root 'command -v python3' >/dev/null; then
    code=0
    said=$(in_user 'cd assay && make demo' 2>&1) || code=$?
    echo "$said"
    [ "$code" = 2 ] && grep -q '^sudo apt-get .*install -y ' <<<"$said"
    pass 'a plain user without the packages gets the line and exit 2'
fi
for person in root user; do
    "in_$person" 'cd ~/assay && make demo && find demo-report -name index.html | grep -q .'
    again=$("in_$person" 'cd ~/assay && make demo')
    grep -q 'up to date' <<<"$again"
    pass "make demo as $person, and once more"
    "in_$person" 'cd ~/assay && make test'
    pass "make test as $person"
done
