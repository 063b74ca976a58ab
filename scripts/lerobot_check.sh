#!/bin/sh
# Open what our LeRobot writer wrote with the real lerobot library, in .venv-lerobot.
#
#   scripts/lerobot_check.sh      (make test-lerobot)
#
# lerobot 0.4.4 pins older packages than ours, and they don't decode video here, so it is installed
# without its pins beside versions that were checked to work together. torch is pinned because a
# newer one may fetch gigabytes; torchcodec 0.12.0 is the newest that needs no CUDA libraries.
# Exit: 0 equal, 1 a difference was found, 2 the environment could not be made.
set -eu
cd "$(dirname "$0")/.."
. scripts/venv.sh

# lerobot comes last and alone, so that pip does not list its pins that are not kept.
install_packages() {
    install torch==2.13.0 numpy==2.4.6 &&
        install datasets==4.8.5 huggingface-hub==0.35.3 draccus==0.10.0 jsonlines==4.0.0 \
            einops==0.8.2 gymnasium==1.4.0 deepdiff==9.1.0 imageio==2.38.1 termcolor==3.3.0 \
            accelerate==1.15.0 pandas==3.1.1 pillow==13.0.0 av==18.1.0 pyarrow==26.0.1 &&
        install --no-deps lerobot==0.4.4 torchvision==0.28.0 torchcodec==0.12.0 &&
        link_ffmpeg
}

# torchcodec looks for FFmpeg by its plain names; PyAV brings FFmpeg under names of its own.
link_ffmpeg() {
    "$venv/bin/python" - "$venv/ffmpeg" <<'PYTHON'
import re
import sys
from pathlib import Path

import av

target = Path(sys.argv[1])
target.mkdir(exist_ok=True)
for file in Path(av.__file__).parents[1].glob("av.libs/lib*"):
    found = re.fullmatch(r"(lib(?:av|sw)\w+)-\w+(\.so\.\d+).*", file.name)
    link = target / "".join(found.groups()) if found else None
    if link and not link.is_symlink():
        link.symlink_to(file)
PYTHON
}

ready_venv .venv-lerobot scripts/lerobot_check.sh "about 1.5 GB, a few minutes"

# Nothing is fetched: the dataset is local, and the hub is told to stay shut.
HF_HUB_OFFLINE=1 HF_HOME="$PWD/$venv/hub" PYTHONPATH=src:tests \
    LD_LIBRARY_PATH="$PWD/$venv/ffmpeg${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "$venv/bin/python" tests/proof/_lerobot_opens.py
