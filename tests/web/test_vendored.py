"""What the page brings of others: unchanged, with version and licence, and small."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "src/assay/web/page"
VENDOR = PAGE / "vendor"
ROW = re.compile(r"\| (\S+) \| npm (\S+), \S+ \| (\S+) \| (\S+) \| `([0-9a-f]{64})` \|")


def test_every_vendored_file_is_the_one_that_the_table_names() -> None:
    rows = {found[1]: found for found in ROW.finditer((VENDOR / "README.md").read_text())}
    assert rows.keys() == {path.name for path in VENDOR.iterdir()} - {"README.md"}
    for name, found in rows.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == found[5], name
        assert (VENDOR / f"LICENSE-{found[2].replace('uplot', 'uPlot')}").exists()


def test_what_a_browser_loads_of_others_is_small() -> None:
    loaded = [path for path in VENDOR.iterdir() if path.suffix in (".js", ".css")]
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) < 120_000


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def test_every_curve_can_be_seen_on_its_background_in_light_and_dark() -> None:
    themes = re.findall(r":root[^{]*\{([^}]*--c0[^}]*)\}", (PAGE / "app.css").read_text())
    assert len(themes) == 3  # light, dark as chosen, dark as the system is
    assert re.sub(r"\s+", "", themes[1]) == re.sub(r"\s+", "", themes[2])
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", theme))
        paper = luminance(colours["paper"])
        curves = [colours[f"c{place}"] for place in range(9)]
        assert len(set(curves)) == 9
        for colour in curves:
            bright, low = max(paper, luminance(colour)), min(paper, luminance(colour))
            assert (bright + 0.05) / (low + 0.05) >= 3, colour
