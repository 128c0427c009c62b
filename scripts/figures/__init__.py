"""The figures of `highwater plot`. One file adds one figure: a module here with a FIGURE (figure.py) is in the list."""

from __future__ import annotations

import importlib
import pkgutil

from figures.figure import FigureKind


def all_figures() -> dict[str, FigureKind]:
    """By name, in the order of their files."""
    modules = [importlib.import_module(f"figures.{module.name}") for module in pkgutil.iter_modules(__path__)]
    kinds = [module.FIGURE for module in modules if hasattr(module, "FIGURE")]
    return {kind.name: kind for kind in kinds}
