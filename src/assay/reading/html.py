"""Web pages as lines of text: `<pre>` is a fence, `<h2>` a heading, tags are taken out and `&lt;` is `<` again.

    <h2>Batch 512</h2><pre><span class="l">Epochs: 100%|███| 10/10 [01:48&lt;00:00]</span>

The trap: a log contains `<` too (`<stdout>`, `[00:00<?`), so only what looks like a tag of a page is one. A line keeps
its number, though it may become several.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

#: what `assay write` puts around its answers, in text and in a web page
ANSWER_BEGINS, ANSWER_ENDS = "<!-- assay -->", "<!-- /assay -->"
SECTION, SECTION_END = '<section class="assay">', "</section>"
#: lines without anything to see, that would part the rows of a table
_BETWEEN_ROWS = frozenset({"<thead>", "</thead>", "<tbody>", "</tbody>"})
_LONGEST_ROW = 500  # lines; it is none, and goes on
Physical = list[tuple[int, bytes]]

_HIDDEN = re.compile(r"(?i)<(?P<name>script|style)\b")
_BREAKS = re.compile(
    r"(?i)<br\s*/?>|</(?:p|div|li|tr|table|ul|ol|title|head|details|summary)>|<(?:p|div|ul|ol|hr)\b[^<>]*>"
)
_FENCE = re.compile(r"(?i)</?pre\b[^<>]*>")
_HEADING = re.compile(r"(?i)<h(?P<level>[1-6])\b[^<>]*>")
_HEADING_END = re.compile(r"(?i)</h[1-6]>")
_CELL = re.compile(r"(?i)</t[dh]>\s*<t[dh]\b[^<>]*>")
_ROW = re.compile(r"(?i)<tr\b[^<>]*>\s*<t[dh]\b[^<>]*>")
_ROW_END = re.compile(r"(?i)</t[dh]>\s*</tr>")
_ITEM = re.compile(r"(?i)<li\b[^<>]*>")
_TABLE_END = re.compile(r"(?i)</table>")
_TAG = re.compile(
    r"(?i)</?[a-z][a-z0-9-]*(?:\s+[\w:-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s<>\"'][^\s<>]*))?)*\s*/?>|<!doctype[^<>]*>"
)
_PRINTED_TAG = re.compile(r"(?i)<(?:stdout|stderr|module|listcomp|lambda|string|frozen)\b")


def is_web_page(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith((".html", ".htm"))


def lines(physical: Physical) -> Physical:
    """What a person sees of it."""
    result: Physical = []
    hidden = ""  # the element whose content is not displayed
    tables = 0  # how many are open
    for number, text in _whole_rows(physical):
        if hidden:
            _, ended, text = text.partition(f"</{hidden}>")
            hidden = "" if ended else hidden
        while not hidden and (found := _HIDDEN.search(text)):
            before, rest = text[: found.start()], text[found.end() :]
            _, ended, after = rest.partition(f"</{found['name']}>")
            hidden, text = "" if ended else found["name"], before + after
        lower = text.lower()
        inside, tables = tables > 0, max(0, tables + lower.count("<table") - lower.count("</table"))
        if lower.strip() not in _BETWEEN_ROWS and not (inside and tables and not text.strip()):
            for part in _TABLE_END.split(text):
                result += [(number, b"")] if part is not text and result and result[-1][0] == number else []
                result += [(number, line.encode()) for line in _shown(part)]
    return result


def _whole_rows(physical: Physical) -> Iterator[tuple[int, str]]:
    """Lines, where the cells of a table row that are on separate lines become one line."""
    row: list[str] = []
    begun = 0
    for number, raw in physical:
        text = raw.decode("utf-8", "replace")
        lower = text.lower()
        if not row and lower.rfind("<tr") <= lower.rfind("</tr"):
            yield number, text
            continue
        begun = begun if row else number
        row.append(text)
        if "</tr" in lower or len(row) > _LONGEST_ROW:
            yield begun, " ".join(row)
            row = []
    if row:
        yield begun, " ".join(row)


def _shown(text: str) -> list[str]:
    if "<" in text:
        text = _without_comments(text)
        text = text.replace(SECTION, f"\n{ANSWER_BEGINS}\n").replace(SECTION_END, f"\n{ANSWER_ENDS}\n")
        text = _FENCE.sub("\n```\n", text)
        text = _HEADING.sub(lambda found: "\n" + "#" * int(found["level"]) + " ", _HEADING_END.sub("\n", text))
        text = _ROW_END.sub(" |\n", _ROW.sub("\n| ", _CELL.sub(" | ", text)))
        text = _ITEM.sub("\n- ", _BREAKS.sub("\n", text))
        text = _TAG.sub(lambda found: found[0] if _PRINTED_TAG.match(found[0]) else "", text)
    text = html.unescape(text) if "&" in text else text
    pieces = text.split("\n")
    return [piece for piece in pieces if piece.strip()] if len(pieces) > 1 else pieces


def _without_comments(text: str) -> str:
    """Looked for from one to the next: a pattern would look for the end of each through all of a long line."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept.append(text[at:begin])
        at = end + len("-->")
    return "".join(kept) + text[at:]
