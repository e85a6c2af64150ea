"""A written page as one self-contained file, in the dress of a report: charts drawn when reached, nothing asked for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from assay import __version__
from assay.reading.html import ANSWER_BEGINS as BEGINS
from assay.reading.html import ANSWER_ENDS as ENDS
from assay.reading.html import SECTION, SECTION_END
from assay.views.charts.base import packed
from assay.views.web.assets import chart_scripts, policy, templates, text_of
from assay.views.written.page import PLACE, Placed, Written, data_names, renamed

if TYPE_CHECKING:
    from markdown_it.token import Token

_ALONE = re.compile(r"<p>(<figure>(?:(?!<figure>).)*?</figure>)</p>", re.DOTALL)
_TABLE = re.compile(r"<table>(?:(?!<table>).)*?</table>", re.DOTALL)
_HEADING = re.compile(r"<h1>(?:(?!<h1>).)*?</h1>", re.DOTALL)


def html(page: Written) -> str:
    charts: dict[str, object] = {}
    data: dict[str, object] = {}
    for at, one in enumerate(page.charts):
        names = {name: f"{name}-{at}" for name in data_names(one.chart) if name in one.data}
        charts[str(at)] = renamed(one.chart, names)
        data |= {shown: packed(one.data[name]) for name, shown in names.items()}
    scripts = chart_scripts(data, charts) if charts else []
    return (
        templates()
        .get_template("written.html")
        .render(
            title=page.title,
            body=_body(page),
            style=text_of("style.css"),
            scripts=scripts,
            policy=policy(scripts),
            version=__version__,
            made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        )
    )


def _body(page: Written) -> str:
    """Markup in the text stays text: what a log or a page brought in cannot become a tag."""
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer.add_render_rule("image", _image(page.charts))
    body = _HEADING.sub("", renderer.render(page.markdown), count=1)  # it is the title of the page
    body = _ALONE.sub(r"\1", body)
    for mark, tag in ((BEGINS, SECTION), (ENDS, SECTION_END)):
        body = body.replace(f"<p>{escape(mark)}</p>", tag)
    return _TABLE.sub(lambda found: f'<div class="scroll" tabindex="0" role="region">{found[0]}</div>', body)


def _image(charts: Sequence[Placed]) -> Callable[[object, Sequence[Token], int, object, object], str]:
    """A chart of ours is drawn; a picture elsewhere becomes a link, because the page loads nothing."""
    from markdown_it.common.utils import escapeHtml

    def rule(self: object, tokens: Sequence[Token], at: int, options: object, env: object) -> str:
        source = str(tokens[at].attrs.get("src", ""))
        words = escapeHtml(tokens[at].content)
        place = source.removeprefix(PLACE)
        if source.startswith(PLACE) and place.isdigit() and int(place) < len(charts):
            run = charts[int(place)].run
            of_run = f' data-run="{escapeHtml(run)}"' if run else ""
            chart = f'<div class="chart" data-chart="{place}"{of_run} role="img" aria-label="{words}"></div>'
            return f"<figure>{chart}<figcaption>{words}</figcaption></figure>"
        if re.match(r"https?://", source):
            return f'<a href="{escapeHtml(source)}" rel="noreferrer">picture: {words or escapeHtml(source)}</a>'
        return f"(picture: {words or escapeHtml(source)})"

    return rule
