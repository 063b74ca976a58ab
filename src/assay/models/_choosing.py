"""Find which of several options a model chose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.models._denying import denied, taken_back
from assay.models._reading import Unusable, brief, marked, plain, pointed

__all__ = ["option_in"]

_WRAPPED = " \t\n\"'()[]{}<>.,:;!"


def option_in(text: str, options: Sequence[str], *, whole: bool = False) -> str:
    """Return which of `options` is meant by `text`, which `plain` has cleaned.

    That is an answer that is an option, one that is labelled ("answer: B"), one that stands first
    ("B, not A"), or the only option that is mentioned. A lone letter is a mention only where it
    stands as one does: "(A)", "A.". What a sentence with a negation mentions is not chosen.

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
        raise Unusable(f"The answer {brief(said)!r} is none of {allowed}.", "invalid_value")
    labelled = [_chosen(rest, options) for rest in pointed(said)]
    found = set().union(*labelled) or _chosen(said, options)
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


def _chosen(said: str, options: Sequence[str]) -> set[str]:
    """Return the options that `said` puts forward: the one it is or begins with, else all it names.

    Raises:
        Unusable: It denies one.
    """
    if (exact := _exact(said, options)) is not None:
        return {exact}
    first = next(((o, m) for o in options if (m := _lead(o).match(said))), None)
    if first is not None and taken_back(said[first[1].end() :]):
        raise Unusable("It says that an answer is wrong, and not which one is right.")
    named = [(option, m.span()) for option in options for m in _mention(option).finditer(said)]
    blank = said
    for start, end in [span for _, span in named] + ([first[1].span()] if first else []):
        blank = blank[:start] + " " * (end - start) + blank[end:]
    meant = {option for option, span in named if not denied(blank, *span)}
    if first is not None:
        return meant | {first[0]}
    if any(denied(blank, *span) for _, span in named):
        raise Unusable("It says what the answer is not: say what it is.")
    return meant


def _lead(option: str) -> re.Pattern[str]:
    """Return what finds an option that stands first and apart: "B) the drawer", "no, it fell"."""
    apart = r"(?=$|[.,;:!)\n](?!\d)|\s+(?:because|since)\b|\s+-\s)"
    return re.compile(rf"[(\[\"'<]*{re.escape(option)}[)\]\"'>]*{apart}", _case(option))


def _mention(option: str) -> re.Pattern[str]:
    """Return what finds an option as a word of its own."""
    if _is_letter(option):
        return re.compile(
            rf"[(\[\"']{option}[)\]\"']|(?<![\w.]){option}(?=[.):](?:\s|$)|\s+-\s|\s*$)"
        )
    # "No" before another word says how many: "no doubt that it is done".
    alone = r"(?!\s+\w)" if option.casefold() in {"no", "none"} else ""
    return re.compile(rf"(?<![\w+.-]){re.escape(option)}(?!\w|[.-]\w){alone}", _case(option))


def _is_letter(option: str) -> bool:
    return len(option) == 1 and option.isalpha()


def _case(option: str) -> re.RegexFlag:
    """Return whether capitals count: an "a" alone is an article."""
    return re.NOFLAG if _is_letter(option) else re.IGNORECASE
