"""What most training scripts print.

    Epoch [3], val_loss: 0.41, val_acc: 0.88
    {'loss': 0.512, 'learning_rate': 4.6e-05, 'epoch': 0.24}                            Hugging Face Trainer
    1875/1875 [======] - 3s 2ms/step - loss: 0.2041 - accuracy: 0.9387                  Keras
    Epoch 3: 100%|███| 469/469 [00:09<00:00, 48.1it/s, v_num=0, train_loss=0.0412]      Lightning, tqdm

The trap: numbers next to words are everywhere. A line counts only if it names something that is measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.core.dates import epoch_seconds, moment
from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.readers.anchors import ANCHORS
from assay.readers.asked import Asked
from assay.readers.columns import Columns, head
from assay.readers.counted import EPOCH_LINE, by_rank, of_how_many, rank_of, without_rank
from assay.readers.fit import Fit
from assay.readers.heads import without_head
from assay.readers.listed import SETTINGS_HEAD, in_a_row, listed
from assay.readers.members import Members
from assay.readers.named import measured, pairs
from assay.readers.objectlines import ObjectLines
from assay.readers.objects import recipe_of, told_of
from assay.readers.outcome import Outcome
from assay.readers.pace import Pace
from assay.readers.progress import LIGHTNING_END, Progress
from assay.readers.rounded import Reported
from assay.readers.split import of_part, title_part
from assay.readers.told import Told, as_share
from assay.readers.training import form_of, names_of
from assay.reading.reader import Answer, Reader
from assay.reading.series import Positions
from assay.reading.shapes import NUMBER, Places, Recipe, Recipes, follow

#: the first line of Hugging Face's Trainer
_RUNNING = "***** running training"
_LONGEST, _LONGEST_OBJECT = 4000, 1 << 16


class Generic(Reader):
    """Metrics of any script; one line alone does not make a run."""

    name = "generic"
    system = "generic"
    anchors = ANCHORS

    def __init__(self) -> None:
        super().__init__()
        self.measured = 0
        self._set_apart = False  # it has printed settings on a separate line
        self._epoch: int | None = None
        self._heading = (0, "")  # a line that only names the part of the data of the next line
        self._fit, self._pace, self._progress, self._reported = Fit(), Pace(), Progress(), Reported()
        self._outcome, self._asked = Outcome(self._progress), Asked(self._progress)
        self._shapes, self._positions = Recipes(), Positions()
        self.recipe: Recipe | None = None  # the recipe of the last line
        self.columns: Columns | None = None  # the columns of the current table
        self._members, self._objects = Members(), ObjectLines()

    @property
    def wants_all(self) -> bool:
        """In the middle of a table or an object every line counts."""
        return self.columns is not None or bool(self._members)

    @property
    def is_done(self) -> bool:
        return self._outcome.is_done

    @property
    def says_more(self) -> bool:
        """Lines without figures: a setting on a separate line, how long something took, or the end of the run."""
        return self._set_apart or bool(self._outcome.closing) or self.is_done

    def begins_anew(self, text: str) -> bool:
        """Another training of the same script: its settings once more, or its first epoch after its last."""
        starts = _RUNNING in text.lower() or ("Namespace(" in text and SETTINGS_HEAD.match(text.strip()))
        if starts and (self.failed or (self.strong and (self._outcome.completed or "Namespace(" in text))):
            return True
        if not self.strong:
            return False
        return self._objects.begins_anew(text) or self._progress.begins_anew(text)

    def read(self, line: Line) -> Answer:
        text = line.text.strip()
        self.recipe = None
        if not text:
            return None
        if "rank" in text and len(parts := by_rank(text)) > 1:
            return self._side_by_side(line, parts)
        if not self._members:
            return self._read(line, text)
        if self._members.take(line, text):
            return []
        before = self._close_members()
        if Members.is_edge(text):
            return before
        after = self._read(line, text)
        return [*before, *after] if isinstance(after, list) else before or after

    def _side_by_side(self, line: Line, parts: list[str]) -> Answer:
        """What several processes printed into one line."""
        answers = [self._read(Line(line.number, part, line.t), part.strip()) for part in parts]
        self.recipe = None
        events = [event for answer in answers if isinstance(answer, list) for event in answer]
        return events if events else None

    def _read(self, line: Line, text: str) -> Answer:
        if len(text) > _LONGEST and (text[-1] != "}" or len(text) > _LONGEST_OBJECT):
            return None
        if self.columns is not None:
            row = self.columns.row(text.rstrip("\\ "))
            if row is not None:
                return [self._measured(line, {**row}, "metric", moment(line.text))] if any(map(measured, row)) else []
            self.columns = None
        if self._objects.is_one(text):
            answer = self._object(line, text)
            if answer is not None or text[0] == "{":
                return answer
        if text[0] == "{" and text[-1] == ",":
            return self._object(line, text.rstrip(","))
        if text[0] in '"*' and self._members.take(line, text):
            return []
        return None if len(text) > _LONGEST else self._plain(line, text)

    def _plain(self, line: Line, text: str) -> Answer:
        """A line that is not a JSON object."""
        shape = NUMBER.sub("#", text)
        if shape in self._shapes:
            self.recipe = self._shapes.of(shape)
            known = None if self.recipe is None else follow(self.recipe, text)
            return None if known is None else [self._measured(line, known, "metric", moment(line.text))]
        if "│" in text:
            text = text.replace("│", " ")  # a table that is drawn
        text = text.replace("'s ", " ")  # `valid_0's auc: 0.91`, as LightGBM prints it
        rank = rank_of(text)
        bare = without_head(without_rank(text))
        if (told := form_of(bare)) is not None:
            events = self._told(line, told, rank=rank[0] if rank else 0)
            self._is_over(text)
            return events
        if (settings := self._settings(line, bare)) is not None:
            return settings
        self.columns = head(text) if "," in text else None  # whose names may hold digits
        if self.columns is not None:
            return []
        if (figures := self._named(line, text, shape)) is not None:
            return figures
        answer = self._epoch_line(line, text)
        if answer is None and self._is_over(text):
            self.strong = True
            return []
        if answer is None:
            row = in_a_row(text)
            self._set_apart = self._set_apart or row is not None
            answer = None if row is None else self._set(line, self._asked.news(row))
        if answer is None:
            self.columns = head(text.rstrip("\\ ")) if shape == text else None
        if answer is None and self.columns is None:
            self._shapes.keep(shape, None)
        return [] if self.columns else answer

    def _named(self, line: Line, text: str, shape: str) -> list[Event] | None:
        """The events of a line of named figures; None if it has none."""
        facts, recipe = pairs(text, names_of(text))
        if not facts:
            self._heading = (line.number, title_part(text))
            return None
        if self._reported.repeats(text, facts):
            self.measured, self.strong = self.measured + 1, True
            return []
        number, part = self._heading
        if part and line.number - number <= 1:
            facts, recipe = {of_part(name, part): value for name, value in facts.items()}, None
        if (within := of_how_many(text)) is not None:
            self._positions.of(facts).of_how_many(*within)
        if self._fit.takes(text, facts):
            recipe = None  # its meaning depends on the lines before it
        if recipe is not None:
            self._shapes.keep(shape, recipe)
        self.recipe = recipe
        news = {**self._asked.of_how_many(text), **self._asked.beside(facts)}
        events = [*self._set(line, news), self._measured(line, facts, "metric", moment(line.text))]
        self._is_over(text)
        return events

    def _is_over(self, text: str) -> bool:
        return self.measured > 0 and self._outcome.ends_with(text)

    def read_placed(self, places: Places, raw: bytes, line: Line) -> Event | None:
        """A line like one that was read before, quickly; None to have it read the long way."""
        if self._members or (self._progress.at_last_epoch and self._progress.epochs > 1):
            return None  # it may begin again
        t = places.moment(raw) if places.stamp is not None else None
        if places.stamp is not None and t is None:
            return None
        return self._measured(line, places.facts(raw), places.kind, t)

    def _measured(self, line: Line, facts: dict[str, object], kind: str, t: float | None) -> Event:
        self.measured += 1
        self._pace.take(facts)
        self._reported.take(facts)
        self._outcome.goes_on(facts)
        self.strong = self.measured > 1 or self._outcome.completed
        if self._epoch is not None:
            named = facts.setdefault("epoch", self._epoch)
            self._epoch = max(self._epoch, named) if isinstance(named, int) else self._epoch
        if "mfu" in facts:
            as_share(facts)
        self._progress.take(facts, line.text)
        if kind == "metric":
            if "step" not in facts and isinstance(epoch := facts.get("epoch"), float):
                facts.update({"step": step} if (step := self._asked.step_at(epoch)) is not None else {})
            self._positions.of(facts).take(facts)
        return self.fact(kind, line, t, facts)

    def _object(self, line: Line, text: str) -> Answer:
        said = self._objects.read(text)
        if said is None:
            return None
        if said.line is not None:
            return self._read(Line(line.number, said.line, line.t), said.line.strip() or "-") or []
        return None if said.told is None else self._told(line, said.told, said.facts, said.text)

    def pause(self) -> list[Event]:
        """Text of a person, or the end of a fence, ends the current table and object."""
        self.columns = None
        return self._close_members()

    def drop_open(self) -> None:
        """Give up the current table or object."""
        self.columns = None
        self._members.close()

    def _close_members(self) -> list[Event]:
        first, value = self._members.line, self._members.close()
        told = told_of(value, fewest_settings=1) if value else None
        return self._told(first, told) if told is not None and first is not None else []

    def _told(
        self, line: Line, told: Told, facts: dict[str, object] | None = None, text: str | None = None, rank: int = 0
    ) -> list[Event]:
        """The events of a line; `facts` are its figures with what else is known, `text` is where they were found."""
        self._outcome.take(line, told, rank)
        self.failed = self.failed or told.status == "failed"
        self.strong = self.strong or (self._outcome.completed and self.measured > 0)
        t = moment(line.text) if told.t is None else told.t
        events = [self.fact("how", line, t, told.words)] if told.words else []
        events += self._set(line, self._asked.news(told.settings), t)
        for kind, figures in (("metric", told.facts), ("result", told.results)):
            if figures:
                known = {**figures, **({"rank": rank} if rank else {})} if facts is None else facts
                if told.completed and (number(known.get("epoch")) or 0) >= (self._asked.number("epochs") or math.inf):
                    known.update({"step": steps} if (steps := self._asked.number("max_steps")) is not None else {})
                self.recipe = recipe_of(text, known, kind) if text else None
                events.append(self._measured(line, known, kind, t))
        return events

    def _set(self, line: Line, news: Mapping[str, object], t: float | None = None) -> list[Event]:
        return [self.fact("param", line, t, news)] if news else []

    def _settings(self, line: Line, text: str) -> Answer:
        if found := LIGHTNING_END.search(text):
            self._outcome.completed = True
            asked = "epochs" if found["what"] == "epochs" else "max_steps"
            return self._set(line, self._asked.news({asked: int(found["value"])}))
        known = listed(text)
        self._set_apart = self._set_apart or bool(known)
        return None if known is None else self._set(line, self._asked.news(known))

    def _epoch_line(self, line: Line, text: str) -> Answer:
        """Keras prints the epoch on a separate line, and so do many loops: what follows belongs to it."""
        found = EPOCH_LINE.match(text) if len(text) < 80 else None
        if found is None:
            return None
        self._epoch = int(found["done"])
        self._fit.begin()
        took_s = epoch_seconds(text)
        events = self._set(line, self._asked.of_how_many(text))
        return events if took_s is None else [*events, self._measured(line, {"epoch_s": took_s}, "metric", None)]

    def finish(self) -> list[Event]:
        events = self._close_members()
        if not self.measured:
            return events
        closing = self._outcome.closing
        derived = self._asked.derived(ended=bool(closing))
        events += [self.fact("param", 0, None, derived)] if derived else []
        events += [self.fact("result", line, None, facts) for line, facts in closing.values()]
        totals = {**self._asked.totals(completed=self._outcome.completed), **self._pace.average()}
        events += [self.fact("result", 0, None, totals)] if totals else []
        return [*events, self.fact("end", 0, None, self._outcome.last_word(failed=self.failed))]
