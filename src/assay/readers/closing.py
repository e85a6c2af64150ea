"""The end of a run that was read: the last events of its readers, and which of them count."""

from __future__ import annotations

from assay.model.event import Event
from assay.readers.asking import Asking
from assay.readers.base import Reader
from assay.readers.draft import Draft


def last_words(reader: Reader, ask: Asking) -> list[Event]:
    return [] if reader.name in ask.aside else ask(reader, 0, reader.finish) or []


def close(draft: Draft, ask: Asking) -> None:
    """The words of any script count where no reader of one system is sure; a snapshot of a GPU only where it is all."""
    if draft.reader is not None:
        draft.events += last_words(draft.reader, ask)
    if draft.reader is None or not draft.reader.strong:
        if draft.reader is not None and draft.generic.strong:  # a word that fitted by chance
            draft.events = [event for event in draft.events if event.source != f"reader:{draft.reader.name}"]
        if draft.account is None or draft.generic.strong:
            draft.events += draft.generic_events + last_words(draft.generic, ask)
    if draft.account is not None:
        draft.events += last_words(draft.account, ask)
        if getattr(draft.account, "snapshot", False) and (draft.generic.strong or draft.settled):
            draft.events = [event for event in draft.events if event.source != "probe:nvidia-smi"]
