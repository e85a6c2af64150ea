"""Whose figures they are: of a person by name (no word, model, optimizer or tool is called so), of an earlier text."""

from __future__ import annotations

#: `Alice got 98.9 %`, `my roommate measured 12 s`
OTHERS = (
    "alice | bob | carol | dave | emma | anna | peter | paul | maria | john | jane | sarah | thomas | michael | daniel "
    "| laura | lisa | tom | kevin | priya | wei | ahmed | juan | carlos | pierre | marie | sophie | julia | lukas | "
    "jonas | felix | david | james | robert | linda | susan | martin | stefan | andreas | sabine | jorge | pablo | "
    "lucia | camille | antoine | yuki | hiroshi | ivan | olga | raj | anita | fatima | omar | "
    "my roommate | my labmate | my lab mate | a labmate | my teammate | our teammate | the other team | another team | "
    "another group | the other group | the ta | our ta | my supervisor | my advisor | mein kommilitone | "
    "meine kommilitonin | mi compañero | mi compañera | mon collègue | ma collègue"
)
EARLIER = (
    "in part one | in part 1 | old release | older release | previous release | previous post | last post | "
    "first version | i wrote | we wrote | i claimed | we claimed | i had written | i thought | we thought | i believed"
)
