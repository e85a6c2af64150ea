"""Whether a text is in English: what is not understood is not judged.

A page in another language still holds English terms and figures (`batch size 64`), but not what is said of them: that
it was planned, that it did not work, that someone else did it. Such a page is read for its logs and tables alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.language.vocabulary import words

#: letters of English; a word with any other is of another language, or a name
_OURS = "a-zµμ"
_WORD = re.compile(r"[^\W\d_]{2,}|è")
_OTHER = re.compile(rf"[^\W\d_{_OURS}]")
#: these have no spaces that would part words
_OTHER_SCRIPT = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_FOREIGN = words("FOREIGN")
_FEWEST, _SHARE = 2, 0.06


def is_known(texts: Iterable[str]) -> bool:
    """Whether all but a few words in the prose of a page are English."""
    foreign = count = 0
    for text in texts:
        if _OTHER_SCRIPT.search(text):
            return False
        found = _WORD.findall(text.lower())
        count += len(found)
        foreign += sum(word in _FOREIGN or (len(word) > 2 and _OTHER.search(word) is not None) for word in found)
    return foreign < max(_FEWEST, _SHARE * count)
