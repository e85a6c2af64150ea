"""The documents and the help read as plain English: none holds a phrase of the list in voice.py."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from voice import BANNED, banned_in

from assay.cli import _help
from assay.cli.start import load
from assay.cli.table import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def texts_of(command: click.Command) -> list[str]:
    """What `--help` prints: the description, then every option."""
    return [command.help or "", *(getattr(one, "help", None) or "" for one in command.params)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_document_holds_no_phrase_that_nobody_would_say(page: Path) -> None:
    assert banned_in(page.read_text()) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_holds_no_phrase_that_nobody_would_say(name: str) -> None:
    assert [found for text in texts_of(load(name)) for found in banned_in(text)] == []


def test_the_list_of_commands_holds_no_phrase_that_nobody_would_say() -> None:
    assert banned_in(_help()) == []


def help_of(name: str) -> str:
    command = load(name)
    return command.get_help(click.Context(command, info_name=f"assay {name}", **command.context_settings))


@pytest.mark.parametrize("text", [_help(), *map(help_of, COMMANDS)], ids=["assay", *COMMANDS])
def test_the_help_fits_a_terminal_of_80_columns(text: str) -> None:
    assert [line for line in text.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_a_sentence(name: str) -> None:
    options = [one for one in load(name).params if isinstance(one, click.Option)]
    assert [one.name for one in options if not (one.help or "").rstrip().endswith((".", "…"))] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "docs"], ids=lambda page: page.name)
def test_a_document_begins_with_a_sentence_that_tells_what_it_is_for(page: Path) -> None:
    title, empty, first, *_ = page.read_text().splitlines()
    assert title.startswith("# ") and not empty
    assert first[0].isalnum() or first[0] in "`*[", first


def test_the_first_screen_of_the_readme_is_a_picture_and_three_commands() -> None:
    screen = (ROOT / "README.md").read_text().partition("\n## ")[0]
    picture, commands = screen.index("!["), screen.index("```sh")
    assert picture < commands
    assert screen.count("\nassay ") == 3


@pytest.mark.parametrize("phrase", ["not told from the spread", "Print nothing of our own.", "64.7 MiB highest seen"])
def test_the_list_finds_the_sentences_it_was_made_for(phrase: str) -> None:
    assert len(BANNED) > 20
    assert banned_in(phrase)
