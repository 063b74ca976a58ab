"""Find which of several options a model chose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.models._reading import Unusable, marked, plain, pointed

__all__ = ["option_in"]

_WRAPPED = " \t\n\"'()[]{}<>.,:;!"


def option_in(text: str, options: Sequence[str], *, whole: bool = False) -> str:
    """Return which of `options` is meant by `text`, which `plain` has cleaned.

    That is an answer that is an option, one that is labelled ("answer: B"), or the only option
    that is mentioned. A lone letter is a mention only where it stands as one does: "(A)", "A.".

    Args:
        text: What was said.
        options: What may be said.
        whole: Whether all of `text` must be the option, as in a field of JSON.

    Raises:
        Unusable: "invalid_value" for an answer that is no option, "unparsed" where none is found.
    """
    said = marked(plain(text))
    if (exact := _exact(said, options)) is not None:
        return exact
    allowed = ", ".join(options)
    if whole:
        raise Unusable(f"The answer {said!r} is none of {allowed}.", "invalid_value")
    labelled = [_begun(rest, options) for rest in pointed(said)]
    found = {option for option in labelled if option is not None} or _mentioned(said, options)
    if len(found) > 1:
        raise Unusable(f"It names several of {allowed} and does not say which is meant.")
    if found:
        return found.pop()
    if labelled or len(said.split()) == 1:
        raise Unusable(f"The answer is none of {allowed}.", "invalid_value")
    raise Unusable(f"It names none of {allowed}.")


def _exact(said: str, options: Sequence[str]) -> str | None:
    """Return the option that `said` is, whatever its case and brackets; "1" may mean "+1"."""
    bare = said.strip(_WRAPPED).casefold()
    by_text = {f"+{option}": option for option in options if option[:1].isdigit()}
    by_text |= {option[1:]: option for option in options if option.startswith("+")}
    by_text |= {option: option for option in options}
    return {text.casefold(): option for text, option in by_text.items()}.get(bare)


def _begun(rest: str, options: Sequence[str]) -> str | None:
    """Return the option that a labelled answer is, or begins with."""
    if (exact := _exact(rest, options)) is not None:
        return exact
    mentioned = _mentioned(rest, options)
    if len(mentioned) == 1:
        return mentioned.pop()
    return _exact(re.split(r"[\s,;]", rest, maxsplit=1)[0], options) if mentioned else None


def _mentioned(said: str, options: Sequence[str]) -> set[str]:
    return {option for option in options if _mention(option).search(said)}


def _mention(option: str) -> re.Pattern[str]:
    """Return what finds an option as a word of its own."""
    if len(option) == 1 and option.isalpha():
        return re.compile(
            rf"[(\[\"']{option}[)\]\"']|(?<![\w.]){option}(?=[.):](?:\s|$)|\s+-\s|\s*$)"
        )
    return re.compile(rf"(?<![\w+.-]){re.escape(option)}(?![\w]|\.\d)", re.IGNORECASE)
