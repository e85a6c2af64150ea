"""What `import assay` finds under `assay run`: the package three folders up, and nothing beside it.

The folder above this one goes on the PYTHONPATH of a measured program. It is part of the installation, so nothing has
to be made when a run starts, and no one who may write into a runs folder can put code into it. Python 3.8 and up.
"""

import os

__path__ = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
__file__ = os.path.join(__path__[0], "__init__.py")
__spec__.origin, __spec__.submodule_search_locations = __file__, __path__
exec(type(__spec__.loader)("assay", __file__).get_code("assay"), globals())
