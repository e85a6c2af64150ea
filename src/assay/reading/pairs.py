"""Every pair of a name and a number that a line holds, whatever the name.

    val_bpb: 0.9979      loss=3.2, lr 1e-4      throughput 7815.8 samples/s      Epoch [2/5], Step [100/600]
    Loop time of 1.70141 on 2 procs for 500 steps with 4000 atoms            1874 tokens/s, 12.1 ms per step
    events (avg/stddev): 2297.5/29.50            Acc@1: 40.0 (20.0)          The BLEU of the test set is: 31.4

The trap: words beside numbers are everywhere. A name before `:` or `=` is one; words before a bare number are only one
where they are few and stand between separators; a noun behind it only where nothing stands before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.core.numbers import NO_UNIT, Number, Token, clock, tokens

_BOUNDARY = frozenset('|,;{}[]"“”•→←')
_OPEN, _CLOSE = {"(": ")", "[": "]"}, {")": "(", "]": "["}
_GLUE = frozenset(("of", "is", "was", "are", "at", "to", "reached", "equals", "=>", "->"))
_BEFORE = frozenset(
    ("on", "for", "with", "in", "from", "after", "over", "using", "by", "and", "than", "about", "around",
    "only", "up", "every",
     "per", "all", "the", "a", "an", "these", "its", "took", "takes", "finished", "done", "completed", "found",
     "loaded", "read")
)  # fmt: skip
_LEVELS = frozenset(
    ("info", "warning", "warn", "error", "debug", "critical", "fatal", "notice", "trace", "i", "w", "e", "d")
)
_VERB = re.compile(r"(?i)(?:ed|ing)$|^(?:found|took|has|have|had|contains|got|ran|made)$")
_DIGITS = re.compile(r"(?<!\w)[\d.,]+(?!\w)")
#: names of a place in a training, which are pairs of their own before a colon: `iter 100: 2.3`
_COUNTED = re.compile(
    r"(?i)(?:global |local |train(?:ing)? )?(?:step|epoch|iter(?:ation)?|round|batch|trial|fold|update|frame)s?"
)
#: where in a program a logger was called: `[trainer:837]`, `[components/metrics:437:log]`
_PLACE = re.compile(r"[A-Za-z_][\w./<>\-]*:\d+(?::[\w<>]+)?")
_MOST_WORDS, _MOST_LETTERS = 8, 80


@dataclass(frozen=True, slots=True)
class Pair:
    """A name as printed and its number; `of` is the 600 of `100/600`."""

    name: str
    number: Number
    how: str  # "=", ":", "of" between them; "before" or "behind" it; "unit" where it has no other name
    start: int
    end: int
    of: float | None = None
    mean: Number | None = None  # the value in brackets behind it: `1.58 (1.61)`
    spread: Number | None = None  # behind ±
    label: str = ""  # what the line begins with: `read:`

    @property
    def strong(self) -> bool:
        """Whether a sign or a word between them says that they belong together."""
        return self.how in ("=", ":", "of")


@dataclass(slots=True)
class Scan:
    """What was found in a line: the pairs, whether words were left that belong to none, numbers without a name."""

    pairs: list[Pair] = field(default_factory=list)
    label: str = ""  # `read:` before the first pair
    words_left: int = 0
    loose: list[Number] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)  # pairs whose value is a word: `device: cpu`
    progress: tuple[float, float] | None = None  # an unnamed `3/10`
    index: tuple[float, ...] = ()  # what the line begins with: `[100] accuracy=0.9`, `20: test: 0.995`, `[1,  2000] `
    closes: bool = False  # the unnamed progress stands at the end of the line, or is given in per cent, too
    offset: int = 0  # where the text that was scanned begins in its line
    logged: bool = False  # a logger put a date, a level or a place before it


def scan(text: str, found: list[Token] | None = None) -> Scan:
    """The pairs of one line."""
    whole = tokens(text) if found is None else found
    line = without_prefix(whole)
    out = _whole_line(text, line) or _Scanner(text, line).run()
    out.logged = len(line) < len(whole)
    out.index = _index(line)
    return out


def without_prefix(line: list[Token]) -> list[Token]:
    """A line without what a logger puts before it: dates, levels, process ids, file names."""
    at = 0
    while at < len(line):
        token = line[at]
        if (
            token.kind in ("date", "clock")
            or (token.kind == "path" and at and ":" in token.text)
            or (token.kind == "word" and token.text.lower() in _LEVELS and len(token.text) > 1 and at < len(line) - 1)
        ):
            at += 1
        elif (
            token.kind == "word"
            and re.fullmatch(r"[IWEFD]\d{4}", token.text)
            and at + 1 < len(line)
            and line[at + 1].kind == "clock"
        ):
            at += 2
            if at < len(line) and line[at].number is not None:
                at += 1
        elif token.kind == "[" and (end := _closing(line, at)) is not None and _is_prefix(line[at + 1 : end], at == 0):
            at = end + 1
        elif at and token.kind in (":", "-", "|", ",", "]", ")", "."):
            at += 1
        else:
            break
    return line[at:]


def _whole_line(text: str, line: list[Token]) -> Scan | None:
    """`Accuracy of the network on the 10000 test images: 54 %`: one name, with a number in it, and one value behind."""
    if len(line) < 6 or line[-1].number is None or line[-2].kind not in (":", "=") or line[-2].start > 100:
        return None
    name = line[:-2]
    words = [token for token in name if token.kind == "word"]
    if len(words) < 4 or any(token.kind not in ("word", "number") for token in name) or words[0] is not name[0]:
        return None
    numbers = [token for token in name if token.number is not None]
    if len(numbers) != 1 or numbers[0] is name[-1] or _COUNTED.fullmatch(name[name.index(numbers[0]) - 1].text):
        return None
    plain = re.sub(r"\s+", " ", _DIGITS.sub(" ", text[name[0].start : name[-1].end]))
    return Scan(pairs=[Pair(plain, line[-1].number, line[-2].kind, name[0].start, line[-1].end)])


def _index(line: list[Token]) -> tuple[float, ...]:
    """The counts that a line begins with: `[100] `, `20: `, `#20 `, `[2,  4000] `."""
    first = line[0].kind if line else ""
    if first == "[" and len(line) > 4 and line[2].kind == "," and line[4].kind == "]":
        both = (line[1].number, line[3].number)
        return tuple(one.value for one in both if one is not None and _is_whole(one)) if all(both) else ()
    at = 1 if first in ("[", "#") else 0
    number = line[at].number if at < len(line) else None
    closes = {"[": "]", "#": ""}.get(first, ":")
    ends = at + 1 < len(line) and line[at + 1].kind == closes
    return (number.value,) if number is not None and _is_whole(number) and (ends or closes == "") else ()


def _is_whole(number: Number) -> bool:
    return not number.unit.base and number.value.is_integer() and number.value >= 0


def _is_prefix(inside: list[Token], first: bool) -> bool:
    kinds = {token.kind for token in inside}
    words = [token.text.lower() for token in inside if token.kind == "word"]
    if not first and _PLACE.fullmatch("".join(token.text for token in inside)):
        return True
    if kinds & {"date", "clock", "path"} and not (kinds & {"<", "%"}):
        return "<" not in {t.text for t in inside}
    return (
        bool(words)
        and words[0] in _LEVELS | {"rank", "stdout", "stderr", "default0"}
        and len(inside) <= 4
        and words[0] != "rank"
    )


def _closing(line: list[Token], at: int) -> int | None:
    for place in range(at + 1, min(len(line), at + 24)):
        if line[place].kind == "]":
            return place
    return None


class _Scanner:
    """Walks over the tokens of a line once. `words` are those since the last boundary, which may become a name."""

    def __init__(self, text: str, line: list[Token]) -> None:
        self.text, self.line = text, line
        self.out = Scan()
        self.words: list[Token] = []
        self.sep = ""
        self.closed = -1  # the end of the last number, for brackets behind it

    def run(self) -> Scan:
        at = 0
        while at < len(self.line):
            at = self.step(at)
        if not self.out.pairs and self.out.label and not self.out.texts and self.words and len(self.words) <= 6:
            value = self.text[self.words[0].start : self.words[-1].end]
            self.out.texts.append((self.out.label, value))
        self.drop()
        return self.out

    def step(self, at: int) -> int:
        token = self.line[at]
        if token.number is not None or (token.kind == "clock" and self.is_duration()):
            return self.value(at, token.number or clock(token))
        if token.kind in ("word", "skip", "path", "version", "hex"):
            if self.sep and self.words:
                return self.text_value(at)
            if self.words and (gap := token.start - self.words[-1].end) > 1 and not self.is_bracket(self.words[-1]):
                if gap > 2 or self.text[self.words[-1].end : token.start] != "  " or len(self.words) > 2:
                    self.drop()
            self.words.append(token)
            return at + 1
        if token.kind in (":", "="):
            after = self.line[at + 1] if at + 1 < len(self.line) else None
            if (
                token.kind == ":"
                and after is not None
                and after.kind == "word"
                and after.start > token.end
                and self.words
            ):
                self.head()
                return at + 1
            if self.words:
                self.sep = token.kind
            return at + 1
        if token.kind in "([" and self.words and (self.sep or self.counts(at)):
            return at + 1  # `min=[   45]`, `Epoch [2/5]`
        if token.kind == "(" and self.words and (end := self.bracket(at)) is not None:
            self.words += self.line[at : end + 1]
            return end + 1
        if token.kind in ("'", '"', "`", "*", "<", ">", "~", "±", "+", "^", "$", "€", "#"):
            return at + 1
        if token.kind in ("-", "–", "—", "/", "."):
            return self.dash(at)
        self.drop()
        return at + 1

    def dash(self, at: int) -> int:
        token = self.line[at]
        spaced = token.start > 0 and self.text[token.start - 1].isspace()
        if spaced or token.kind == ".":
            self.drop()
        elif self.words:
            self.words.append(token)
        return at + 1

    def is_bracket(self, token: Token) -> bool:
        return token.kind in ("(", ")")

    def bracket(self, at: int) -> int | None:
        """Where a bracket of words ends that belongs to the name before it: `Mean TTFT (ms):`, `events (avg/stddev):`."""
        for place in range(at + 1, min(at + 10, len(self.line))):
            token = self.line[place]
            if token.kind == ")":
                after = self.line[place + 1].kind if place + 1 < len(self.line) else ""
                has_number = any(one.number is not None for one in self.line[at + 1 : place])
                is_value = place + 1 < len(self.line) and self.line[place + 1].number is not None
                return place if place > at + 1 and (after in (":", "=") or (is_value and not has_number)) else None
            if token.kind in "|;=(":
                return None
        return None

    def counts(self, at: int) -> bool:
        """`[2/5]`, `[100]`: how far something has come."""
        inside = self.line[at + 1 : at + 5]
        plain = [(one.number is not None and not one.number.unit.base) or one.kind in "/]" for one in inside]
        closes = [n for n, one in enumerate(inside) if one.kind == "]"]
        return self.line[at].kind == "[" and bool(closes) and closes[0] in (1, 3) and all(plain[: closes[0]])

    def is_duration(self) -> bool:
        words = " ".join(word.text.lower() for word in self.words)
        return (
            bool(re.search(r"time|elapsed|took|duration|runtime|wall|real\b|user|sys\b|total", words))
            and "remain" not in words
        )

    def head(self) -> None:
        """`read: IOPS=…`, `iter 100: loss 2.3`: the words before a colon that other words follow."""
        if not self.out.pairs and not self.out.label:
            self.out.label = self.name(self.words)
        self.words, self.sep = [], ""

    def drop(self) -> None:
        """Words that were no name."""
        self.out.words_left += len(self.words)
        self.words, self.sep = [], ""

    def text_value(self, at: int) -> int:
        """`device: cpu`, `optimizer=AdamW`: up to the next separator."""
        end = at
        while end < len(self.line) and self.line[end].kind not in ("|", ",", ";", "}", ")", "]"):
            if end > at and self.line[end].start - self.line[end - 1].end > 1:
                break
            if end > at and self.sep == "=" and self.line[end].start > self.line[end - 1].end:
                break
            end += 1
        value = self.text[self.line[at].start : self.line[end - 1].end].strip("'\"`")
        self.out.texts.append((self.name(self.words), value))
        self.words, self.sep = [], ""
        return max(end, at + 1)

    def value(self, at: int, number: Number) -> int:
        end = at + 1
        if self.sep and (point := self.decimal(at)) is not None:
            number, end = point, at + 3
        total, mean, spread = None, None, None
        several = [number]
        while (
            end + 1 < len(self.line) and self.line[end].kind == "/" and (more := self.line[end + 1].number) is not None
        ):
            several.append(more)
            end += 2
        if (
            len(several) == 1
            and end + 1 < len(self.line)
            and self.line[end].kind == "±"
            and self.line[end + 1].number is not None
        ):
            spread, end = self.line[end + 1].number, end + 2
        if end + 2 < len(self.line) and self.line[end].kind == "(" and self.line[end + 2].kind == ")":
            inner = self.line[end + 1].number
            if inner is not None and inner.unit.text == number.unit.text and _decimals(inner) == _decimals(number):
                mean, end = inner, end + 3
        if len(several) == 1 and (after := self.vector(end)) > end:
            if self.sep and self.words:
                shown = self.text[self.line[at].start : self.line[after - 1].end]
                self.out.texts.append((self.name(self.words), shown))
            else:
                self.drop()
            self.words, self.sep = [], ""
            return after
        names = self.names(len(several))
        last = self.line[end - 1].end
        if len(several) > 1 and several[-1].unit.base and not several[0].unit.base:
            several = [one.with_unit(several[-1].unit) for one in several]
        if names is not None and len(several) > 1 and len(names) == len(several):
            for name, one in zip(names, several, strict=True):
                self.add(name, one, self.sep or "before", last)
        elif len(several) == 2 and not several[0].unit.base and not several[1].unit.base and _is_count(several):
            total = several[1].value
            share = self.line[end + 1] if end + 1 < len(self.line) and self.line[end].kind == "=" else None
            if share is not None and share.number is not None and share.number.unit.base == "%" and self.words:
                behind = self.line[end + 2] if end + 2 < len(self.line) else None  # `45/50 = 90.00% correct`
                word = f" {behind.text}" if behind is not None and behind.kind == "word" else ""
                self.add(self.name(self.words) + word, share.number, "=", share.end)
                end += 3 if word else 2
            else:
                kinds = [one.kind for one in self.line[end : end + 4]]
                self.out.closes = (
                    self.out.closes
                    or kinds in (["]"], [])
                    or (kinds[:1] == ["("] and end + 1 < len(self.line) and "%" in self.line[end + 1].text)
                )
                self.named(number, last, of=total)
        elif len(several) == 1:
            if not self.sep:
                self.shorten(end)
            if self.words:
                self.named(number, last, mean=mean, spread=spread)
            else:
                end = self.behind(number, end)
        self.words, self.sep = [], ""
        return end

    def vector(self, at: int) -> int:
        """Where a row of bare numbers ends that begins before `at`: a shape, a box, a histogram, and no figure."""
        commas = self.line[at - 2].kind == "(" if at >= 2 else False
        end = at
        while end < len(self.line):
            follows = end + 1 if commas and self.line[end].kind == "," else end
            if follows >= len(self.line) or (one := self.line[follows].number) is None or one.unit.base:
                break
            if not commas and one.start - self.line[follows - 1].end > 2:
                return at
            end = follows + 1
        return end

    def shorten(self, end: int) -> None:
        """Words before a bare number that are no name: `on 2 procs`, `Created 4000 atoms`, `read: 5`."""
        while self.words and self.words[-1].text.lower() in _BEFORE:
            self.out.words_left += 1
            self.words = self.words[:-1]
            if self.words:  # what stands before a preposition is not about this number
                self.drop()
        follows = self.line[end] if end < len(self.line) else None
        if self.words and follows is not None and follows.kind == "word" and _VERB.search(self.words[-1].text):
            self.drop()

    def decimal(self, at: int) -> Number | None:
        """`loss=0,8123`: a comma inside one number, where it can part neither thousands nor two values."""
        inside = self.line[at : at + 4]
        if len(inside) < 3 or inside[1].kind != "," or inside[2].number is None or inside[0].number is None:
            return None
        whole, rest = inside[0].text, inside[2].text
        glued = inside[1].start == inside[0].end and inside[2].start == inside[1].end
        follows = len(inside) > 3 and inside[3].kind == "," and inside[3].start == inside[2].end
        if not glued or follows or not whole.isdigit() or not rest.isdigit():
            return None
        found = tokens(f"{whole}.{rest}")
        return found[0].number if found else None

    def names(self, count: int) -> list[str] | None:
        """`rtt min/avg/max = 1/2/3`: as many names as numbers."""
        if count < 2:
            return None
        text = self.text[self.words[0].start : self.words[-1].end] if self.words else ""
        found = re.search(r"(?<![\w%])([\w%]{1,24}(?:/[\w%]{1,24}){1,6})", text)
        if not found or found[0].count("/") != count - 1:
            return None
        before = text[: found.start()].rstrip(" \t([")
        return [f"{before} {one}".strip() for one in found[0].split("/")]

    def named(
        self,
        number: Number,
        end: int,
        *,
        of: float | None = None,
        mean: Number | None = None,
        spread: Number | None = None,
    ) -> None:
        words = self.words
        if of is not None and not words:
            self.out.progress = (number.value, of)
            return
        if not self.sep and words and words[-1].text.lower() in _GLUE:
            words = words[:-1]
            self.sep = "of" if words else ""
        name = self.name(words)
        if words and words[-1].kind in ("path", "url"):
            name = ""
        if not name or len(words) > _MOST_WORDS or len(name) > _MOST_LETTERS:
            self.out.words_left += len(words)
            self.out.loose.append(number)
            return
        if not self.sep and len(words) > 4:
            self.out.words_left += len(words)
            self.out.loose.append(number)
            return
        self.add(name, number, self.sep or "before", end, of=of, mean=mean, spread=spread)

    def behind(self, number: Number, at: int) -> int:
        """`4000 atoms`, `3567 requests in 8.07s`, `51.8% CPU use`: the noun behind a number that has no name."""
        words: list[Token] = []
        end = at
        after = self.line[at] if at < len(self.line) else None
        if (
            number.unit.base == "%"
            and after is not None
            and after.number is not None
            and after.number.unit.base not in ("", "%")
        ):
            self.add(f"p{number.value:g}", after.number, "before", after.end)  # `50%    9.05ms`
            return at + 1
        while end < len(self.line) and self.line[end].kind == "word" and len(words) < 3:
            word = self.line[end]
            before = words[-1].end if words else number.end
            if word.start - before > 1 or word.text.lower() in _BEFORE | _GLUE:
                break
            words.append(word)
            end += 1
        follows = self.line[end] if end < len(self.line) else None
        if (
            words
            and follows is not None
            and (follows.number is not None or follows.kind in (":", "="))
            and len(words) < 3
        ):
            words = []  # the name of what comes next
        if not words and number.unit.base and number.unit.base not in ("%", "x"):
            self.add("", number, "unit", number.end)
            return at
        if not words:
            self.out.loose.append(number)
            return at
        self.add(self.name(words), number, "behind", words[-1].end)
        return end

    def add(self, name: str, number: Number, how: str, end: int, **more: object) -> None:
        start = self.words[0].start if self.words else number.start
        self.out.pairs.append(Pair(name, number, how, start, end, label=self.out.label, **more))  # type: ignore[arg-type]

    def name(self, words: list[Token]) -> str:
        return self.text[words[0].start : words[-1].end].strip(" -–—/.") if words else ""


def _decimals(number: Number) -> int:
    return len(number.text.partition(".")[2])


def _is_count(several: list[Number]) -> bool:
    done, total = several
    return done.value.is_integer() and total.value.is_integer() and 0 <= done.value <= total.value * 1.001 + 1


__all__ = ["NO_UNIT", "Pair", "Scan", "scan", "without_prefix"]
