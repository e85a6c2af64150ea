"""What pasting, cutting and joining may do to a log, and what must stay true whatever happens."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import CORPUS, KNOWN, SEEDS, summaries

from assay import systems
from assay.lines import LineFeed, frames
from assay.reading.splitter import Draft, Splitter
from assay.reading.stream import Stream

PAGES = sorted(SEEDS.glob("*.md"))
#: real logs where they are at hand; the seeds everywhere
FILES = PAGES + sorted(
    path for folder in KNOWN for path in (CORPUS / folder).glob("*.*") if path.stat().st_size < 300_000
)
TEXTS = {path.name: path.read_bytes() for path in FILES}
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def count(content: bytes, name: str) -> int:
    return len(summaries(content, name))


WHOLE = {name: count(content, name) for name, content in TEXTS.items()}

CHANGES = {
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "colours": lambda text: "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n")),
    "indent": lambda text: "\n".join("    " + line for line in text.split("\n")),
    "quoted": lambda text: "\n".join("> " + line for line in text.split("\n")),
    "commented": lambda text: "\n".join("# " + line for line in text.split("\n")),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "trailing blanks": lambda text: text.replace("\n", "   \n"),
    "a prompt before and after": lambda text: f"(venv) [me@host dir]$ ls\na.py\n{text}\n(venv) [me@host dir]$ ",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pasting_changes_no_figure(path, change: str) -> None:
    text = path.read_text(errors="surrogateescape")
    before, after = summaries(text, path.name), summaries(CHANGES[change](text), path.name)
    hidden = ("id", "lines", "name")
    assert [{k: v for k, v in s.items() if k not in hidden} for s in after] == [
        {k: v for k, v in s.items() if k not in hidden} | ({"error": after[i]["error"]} if "error" in s else {})
        for i, s in enumerate(before)
    ]


@pytest.mark.slow
@QUICK
@given(st.sampled_from(sorted(TEXTS)), st.floats(0, 1))
def test_cutting_a_file_anywhere_never_raises_and_never_invents_a_run(name: str, where: float) -> None:
    content = TEXTS[name]
    cut = int(len(content) * where)
    assert count(content[:cut], name) <= WHOLE[name] + 1  # a sentence cut in two may seem to tell of a run of its own
    summaries(content[cut:], name)


@pytest.mark.slow
@QUICK
@given(st.sampled_from(sorted(TEXTS)), st.sampled_from(sorted(TEXTS)))
def test_joining_two_files_never_raises_and_never_invents_a_run(first: str, second: str) -> None:
    both = TEXTS[first].rstrip(b"\n") + b"\n\n" + TEXTS[second]
    assert count(both, "both.txt") <= count(TEXTS[first], "both.txt") + count(TEXTS[second], "both.txt")


@pytest.mark.slow
@QUICK
@given(st.sampled_from(sorted(TEXTS)), st.integers(40, 200))
def test_another_line_width_never_raises_and_never_invents_a_run(name: str, width: int) -> None:
    lines = TEXTS[name].split(b"\n")
    wrapped = b"\n".join(line[i : i + width] for line in lines for i in range(0, max(1, len(line)), width))
    assert count(wrapped, name) <= WHOLE[name] + 1


@QUICK
@given(st.binary(max_size=3000))
def test_any_bytes_are_survived(content: bytes) -> None:
    assert summaries(content, "odd.log") == []


@QUICK
@given(st.sampled_from(sorted(TEXTS)), st.randoms(use_true_random=False))
def test_lines_in_another_order_are_survived(name: str, chance: random.Random) -> None:
    lines = TEXTS[name].split(b"\n")
    chance.shuffle(lines)
    summaries(b"\n".join(lines), name)


def split(content: bytes) -> list[Draft]:
    """Every line, asked of every reader."""
    drafts: list[Draft] = []
    splitter, feed = Splitter(drafts.append, systems.kit()), LineFeed()
    for number, raw in [*feed.feed(content), *feed.finish()]:
        for line in frames(raw, number):
            splitter.feed(line)
    splitter.finish()
    return drafts


def stream(content: bytes, sizes: list[int]) -> list[Draft]:
    """In pieces, through the sieve."""
    drafts: list[Draft] = []
    reading = Stream(drafts.append, systems.kit())
    at = index = 0
    while at < len(content):
        size = sizes[index % len(sizes)]
        reading.feed(content[at : at + size])
        at, index = at + size, index + 1
    reading.finish()
    return drafts


def events(drafts: list[Draft]) -> list[tuple[str, list[dict[str, object]]]]:
    return [(draft.system, draft.events) for draft in drafts]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_sieve_loses_nothing_and_live_reading_gives_the_same_events(name: str) -> None:
    whole = split(TEXTS[name])
    assert events(stream(TEXTS[name], [1 << 20])) == events(whole)
    assert events(stream(TEXTS[name], [1, 7, 100, 4096, 65536])) == events(whole)


@QUICK
@given(st.sampled_from(sorted(TEXTS)), st.lists(st.integers(1, 5000), min_size=1, max_size=5))
def test_pieces_of_any_size_give_the_same_events(name: str, sizes: list[int]) -> None:
    assert events(stream(TEXTS[name], sizes)) == events(stream(TEXTS[name], [1 << 20]))


def test_without_the_fast_search_the_same_lines_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.readers import sieve

    fast = events(stream(TEXTS["page_001.md"], [1 << 20]))
    monkeypatch.setattr(sieve, "_searcher", sieve._plain_searcher)
    assert events(stream(TEXTS["page_001.md"], [1 << 20])) == fast
