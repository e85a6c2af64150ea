"""Mask what looks like a token, a key or a password, so that it never reaches a record or a screen.

The trap: `--max-tokens 128`, `--tokenizer bert` and `--pad-token [PAD]` are settings, not secrets. Where a name leaves
a doubt, the value decides: a secret is long and looks random. What a secret is stands in `secret_table.py`. Every
pass over a text is linear: a text may be anything, and as long as a command line can be.
"""

from __future__ import annotations

import os
import re
from typing import Iterator, Mapping, Sequence, TypeVar, cast  # noqa: UP035 - a measured program's Python may be 3.8

from . import secret_table as table
from .secret_names import name_says
from .secret_programs import mask_programs, programs_in_text

V = TypeVar("V")
MASK = "***"
#: how many characters of a value are examined
_ENOUGH = 120
#: a name that may be one of a secret, and what stands between it and its value
_NAMED = re.compile(
    rf"""(?ix)(?<![\w./$-])(?P<name>-{{0,2}}(?=[\w.-]*?(?:{"|".join(sorted(table.NAMES))}))
    [a-z_][\w.-]*)(?P<between>\\*["']?\]?\s{{0,4}}(?::=|=>|[=:])\s{{0,4}}|(?<=[\w])\s{{1,4}}(?!-{{1,2}}[a-z]))"""
)
_ANY_NAME = re.compile("(?i)" + "|".join(sorted(table.NAMES)))
#: as much as may stand between a name and its value, which may be on the next line
_BETWEEN = 16
_QUOTE = re.compile(r"\\*[\"']")
_QUOTED = r"""(?:\\+"[^"\\]*(?:\\+")?|"(?:[^"\\]|\\.)*"?|'[^']*'?)"""
_VALUE = re.compile(rf"""(?s){_QUOTED}(?:{_QUOTED}|[\w$])*|(?:{_QUOTED}|\\.|[^\s'";\\])+""")
#: in a program: what may stand between a name and the quote of its value, such as a type or the bracket of a list
_LEAD = re.compile(
    r"""(?x)(?:[\w.]{1,40}(?:\[[^]\n"']{0,60}\])?(?:\s?\|\s?[\w.]{1,40}){0,3}\s{0,4}=(?!=)|=)?
    (?:[\s\\+-]|(?P<open>(?:[\w.]{0,40}[Aa]uth)?[(\[{])){0,60} [bBrRfFuU]{0,2}(?=["'])"""
)
_NEXT = re.compile(r"[\s+-]{0,40},[\s+-]{0,40}[bBrRfFuU]{0,2}(?=[\"'])")
#: the first argument of a call, which may name the second, or the default
_FIRST = re.compile(r"""\w\([\s+-]{0,40}["'](?P<name>-{0,2}[a-zA-Z_][\w.-]{0,99})["'](?=[\s+-]{0,40},)""")
_DEFAULT = re.compile(
    r"""(?:[^()"']|"[^"\n]{0,200}"|'[^'\n]{0,200}'|\([^()]{0,200}\)){0,200}?\bdefault\s{0,4}=\s{0,4}[bBrRfFuU]{0,2}(?=["'])"""
)
#: in YAML: an anchor, a type, the sign of a text of several lines; then the items of a list
_YAML_LEAD = re.compile(r"(?:[&!][\w!/.:-]{0,60}[ \t]{1,4}){0,2}(?:[|>][+-]?\s{1,40})?")
_ITEM = re.compile(
    r"""(?x)\s{0,40}(?P<sign>-[ \t]{1,4}|\[|,)\s{0,40}
    (?:"(?P<double>[^"\n]+)" | '(?P<single>[^'\n]+)' | (?P<bare>[^\s'",;\[\]]+))"""
)
_IN_QUERY = re.compile(r"""[^\s'"&#]+""")
_WHOLE = re.compile(r"(?s)(-{0,2}[\w.:/-]{1,200})=(.*)")
#: in a script: a variable, what another command prints, a call; a word that has passed a shell holds none of these
_REFERENCE = re.compile(
    r"[\"']?(?:\$[\w({]|`|<[\w -]+>?|\{\{|%\w+%)|os\.environ"
    r"|(?<!\w)(?:[a-zA-Z_]\w{0,60}\.){1,8}\w{1,60}\(|(?<!\w)(?:get|input|open|load|read)\w{0,60}\("
)
_LITERAL_REFERENCE = re.compile(r"\$\{?[A-Z_][A-Z0-9_]*\}?$|<[\w -]+>$")
#: a key of AWS may hold slashes, and is forty letters
_PATH = re.compile(
    r"(?![\w+/]{40}$)(?:(?:~|\.{1,2})?/[\w.@+/-]+|[\w.@+/-]+\.(?:json|pem|key|txt|ya?ml|toml|ini|crt|env))"
)
_SHELLS = re.compile(r"(?:ba|da|z|k|c|tc|fi)?sh|ssh|su|wsl")


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """The command line with every secret value replaced by `***`."""
    masked: list[str] = []
    shell = _SHELLS.fullmatch(os.path.basename(arguments[0])) is not None if arguments else False
    for index, argument in enumerate(arguments):
        before = arguments[index - 1] if index else ""
        flag = before.startswith("-") and "=" not in before and len(before) < 100
        shown = hide(before.lstrip("-"), argument) if flag else None
        if shown is None and not shell and not re.fullmatch(r"-\w*c", before):
            shown = _whole(argument)
        masked.append(mask_text(argument) if shown is None else shown)
    return mask_programs(arguments, masked, MASK)


def _whole(argument: str) -> str | None:
    """`--name=value` as one word: its value goes to the end, spaces and all."""
    parts = _WHOLE.fullmatch(argument)
    shown = hide(re.split("[:/]", parts[1].lstrip("-"))[-1], parts[2]) if parts else None
    return f"{parts[1]}={shown}" if parts and shown is not None else None


def mask_values(values: Mapping[str, V]) -> dict[str, V]:
    """Settings and variables, however deep: by their names, and by what their values look like."""
    return {name: _masked_value(str(name), value) for name, value in values.items()}


def _masked_value(name: str, value: V) -> V:
    return cast("V", _masked(name, value))  # a text stays a text and a mapping a mapping


def _masked(name: str, value: object) -> object:
    if isinstance(value, Mapping):
        return mask_values(value)
    if isinstance(value, (list, tuple)):
        return [_masked_value(name, one) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return MASK if name_says(name) == "sure" and hide(name, str(value)) else value
    if not isinstance(value, str):
        return value
    shown = hide(name, value)
    return mask_text(value) if shown is None else shown


def mask_text(text: str, *, code: bool = False) -> str:
    """Any text: an argument, a script, a page. In the text of a program (`code`) only what is in quotes is a value."""
    low = text.lower()
    text = _mask_keys(text) if "-----begin" in low else text
    for needed, pattern in table.PARTS:
        text = table.compiled(pattern).sub(_mask_group, text) if any(word in low for word in needed) else text
    text = _mask_named(text, code=code) if any(word in low for word in table.NAMES) else text
    text = table.compiled(table.SHAPES).sub(MASK, text) if any(word in low for word in table.SHAPES_BEGIN) else text
    return text if code else programs_in_text(text, MASK)


def _mask_group(found: re.Match[str]) -> str:
    name = str(found.lastgroup)
    value, whole, start = found[name], found[0], found.start()
    plain = value.lower() in table.NOT_SECRET or _REFERENCE.match(value) or value.startswith(MASK)
    if plain or (name == "user" and not _loosely_random(value)):
        return whole
    return whole[: found.start(name) - start] + MASK + whole[found.end(name) - start :]


def _mask_keys(text: str) -> str:
    """The body of a private key in PEM, to its end or to the end of the text."""
    kept, at = [], 0
    for begin in re.finditer(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", text):
        if begin.end() > at:
            kept += [text[at : begin.end()], MASK]
            end = text.find("-----END", begin.end())
            at = end if end >= 0 else len(text)
    return "".join(kept) + text[at:]


def _mask_named(text: str, *, code: bool) -> str:
    """Goes on right after a name that hides nothing: in `export KEY=…` or `--env KEY=…` its value is the next name."""
    if code:
        text = "".join(_argument_parts(text))
    return "".join(_named_parts(text, code=code))


def _argument_parts(text: str) -> Iterator[str]:
    """Of a program: `getenv("API_KEY", "…")`, `add_argument("--api-key", default="…")`."""
    kept = 0
    for first in _FIRST.finditer(text):
        name = first["name"].lstrip("-")
        if first.start() < kept or name_says(name) is None:
            continue
        for lead in (_NEXT.match(text, first.end()), _DEFAULT.match(text, first.end())):
            if lead is not None and (found := _literal(name, text, lead.end())) is not None:
                yield text[kept : lead.end()] + found[0]
                kept = found[1]
                break
    yield text[kept:]


def _literal(name: str, text: str, at: int) -> tuple[str, int] | None:
    """(a masked text in quotes, its end), None where nothing is to be hidden."""
    value = _VALUE.match(text, at)
    bare = value[0][1:] if value else ""
    bare = bare[:-1] if bare.endswith(text[at]) else bare
    if value is None or (text[at - 1] in "fF" and re.fullmatch(r"(?:\{[^{}]*\})+", bare)):
        return None
    shown = hide(name, bare, script=True)
    return None if shown is None else (text[at] + shown + text[at], value.end())


def _literals(name: str, text: str, at: int) -> tuple[list[str], int]:
    """(the parts of a program from here with each text in quotes masked that is a value of this name, their end)"""
    parts: list[str] = []
    lead, begin = _LEAD.match(text, at), at
    pair, several = name_says(name) == "pair", lead is not None and lead["open"] is not None
    while lead is not None:
        found = _literal("password" if pair and parts and several else name, text, lead.end())
        value = _VALUE.match(text, lead.end())
        end = found[1] if found else value.end() if value else lead.end()
        parts.append(text[at : lead.end()] + (found[0] if found else text[lead.end() : end]))
        at = end
        lead = _NEXT.match(text, at) if several else None
    return (parts, at) if at > begin else ([], begin)


def _items(name: str, text: str, at: int) -> tuple[list[str], int]:
    """(the parts of a list of YAML from here, each item masked, their end)"""
    parts: list[str] = []
    while (item := _ITEM.match(text, at)) is not None and (item["sign"] == ",") == bool(parts and "[" in parts[0]):
        kind = item.lastgroup or "bare"
        shown = hide(name, item[kind]) or item[kind]
        parts.append(text[at : item.start(kind)] + shown + text[item.end(kind) : item.end()])
        at = item.end()
    return parts, at


def _named_parts(text: str, *, code: bool) -> Iterator[str]:
    at, kept = 0, 0
    while (head := _next_named(text, at)) is not None:
        at = head.end()
        query = text[head.start() - 1 : head.start()] in ("?", "&") and head["between"] == "="
        spaced = head["between"].isspace()
        name = head["name"].lstrip("-")
        if (spaced and (code or not head["name"].startswith("-"))) or not name_says(name, query):
            continue
        if not query and not spaced:
            parts, end = (_literals if code else _items)(name, text, at)
            if parts:
                yield text[kept:at] + "".join(parts)
                at = kept = end
                continue
            lead = None if code else _YAML_LEAD.match(text, at)
            at = lead.end() if lead else at
        value = (_IN_QUERY if query else _VALUE).match(text, at, at + _ENOUGH)
        quote = _QUOTE.match(text, at)
        if value is None or (code and quote is None and not re.match(r"\d{4}", value[0])):
            continue
        opening = quote[0] if quote else ""
        bare = value[0][len(opening) :]
        bare = bare[: -len(opening)] if opening and bare.endswith(opening) else bare
        shown = hide(name, bare, query=query, script=True)
        if shown is not None:
            value = (_IN_QUERY if query else _VALUE).match(text, at) or value
            closing = opening if opening and len(value[0]) > len(opening) and value[0].endswith(opening) else ""
            yield text[kept:at] + opening + shown + closing
            at = kept = value.end()
    yield text[kept:]


def _next_named(text: str, at: int) -> re.Match[str] | None:
    """Most lines hold no word that a name of a secret has, and need no closer look."""
    while (word := _ANY_NAME.search(text, at)) is not None:
        begin, end = text.rfind("\n", at, word.start()) + 1, text.find("\n", word.end())
        end = len(text) if end < 0 else end
        head = _NAMED.search(text, max(at, begin), min(len(text), end + _BETWEEN))
        if head is not None and head.start() <= end:
            return head
        at = end
    return None


def secret(name: str, value: str) -> bool:
    """Whether a setting of this name and value is one to hide."""
    return hide(name, value) is not None


def hide(name: str, value: str, *, query: bool = False, script: bool = False) -> str | None:
    """The masked text to show for a value, which may be in a script; None if it is not a secret."""
    says = name_says(name, query)
    if says is None or not value or value.lower() in table.NOT_SECRET or value.endswith(MASK):
        return None
    head = value[:_ENOUGH]
    if (_REFERENCE if script else _LITERAL_REFERENCE).match(head) or (
        re.fullmatch(r"--?[a-zA-Z][\w-]*", head) and says != "sure"
    ):
        return None
    if says == "pair":
        user, colon, word = value.partition(":")
        if colon and word and "/" not in user and not word.startswith("/"):
            return f"{user}:{MASK}"
        return MASK if _strictly_random(head) else None
    if says == "sure":
        return None if _says_nothing(name, head) else MASK
    return MASK if (_loosely_random(head) if says == "likely" else _strictly_random(head)) else None


def _says_nothing(name: str, value: str) -> bool:
    """Whether a value behind a secret's name is harmless: a path, a switch, a count, a mere bracket."""
    if value.startswith("--") or re.fullmatch(r"-[a-zA-Z]|(?:id|type|src)=.*", value) or not re.search(r"\w", value):
        return True
    if re.fullmatch(r"\d{1,2}", value) and name.lower().endswith(("pass", "s")):
        return True
    return _PATH.fullmatch(value) is not None and not any(map(_strictly_random, re.split("[/.]", value)))


def _loosely_random(value: str) -> bool:
    """`--eos-token "</s>"`, `--token 5`, `--eos-token endoftext`: a real token is long and looks random."""
    if len(value) < 12 or len(set(value.lower())) < 7 or not re.search(r"\d", value):
        return False
    return re.fullmatch(r"[\w.~+/=:%-]+", value) is not None


def _strictly_random(value: str) -> bool:
    """Whether letters and digits are mixed in one long piece, as in no ordinary name."""
    return any(
        sum(c.isdigit() for c in piece) > 2 and sum(c.isalpha() for c in piece) > 2
        for piece in re.findall(r"[A-Za-z0-9]{16,}", value)
    )
