"""Small files of recorded curves for tests."""

from pathlib import Path

HEADER = "episode,task,policy,t,progress,success"


def write_csv(path: Path, curves, *, rate_hz=1.0, success=None):
    """Write `{(episode, task, policy): [progress, ...]}`; None is an empty cell.

    `success` maps an episode to a flag (all rows) or a list of flags.
    """
    lines = [HEADER if success is not None else HEADER.removesuffix(",success")]
    for (episode, task, policy), values in curves.items():
        for i, value in enumerate(values):
            cell = "" if value is None else str(value)
            row = [episode, task, policy, str(i / rate_hz), cell]
            if success is not None:
                flags = success.get(episode)
                flag = flags[i] if isinstance(flags, list) else flags
                row.append("" if flag is None else str(int(flag)))
            lines.append(",".join(row))
    path.write_text("\n".join(lines) + "\n")
    return path
