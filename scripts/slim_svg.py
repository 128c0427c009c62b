"""Makes matplotlib's SVG small without a visible change."""

from __future__ import annotations

import re

COMMENT = re.compile(r"\n? *<!--.*?-->", re.DOTALL)
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
GEOMETRY = re.compile(r' (?:d|x|y|transform|points)="[^"]*"')
NO_TURN = re.compile(r' transform="rotate\(-?0(?: [^)]*)?\)"')
LONE_TEXT = re.compile(r'<g id="text_\d+">\s*(<text [^<]*</text>)\s*</g>')
TEXT_STYLE = re.compile(r'<text style="([^"]*)"')


def shorter(match: re.Match[str]) -> str:
    """A hundredth of a point is far below a pixel."""
    text = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def slim(svg: str) -> str:
    """Comments go, numbers lose digits that no screen shows, texts of one style share a class."""
    svg = NO_TURN.sub("", COMMENT.sub("", svg))
    svg = GEOMETRY.sub(lambda match: LONG_NUMBER.sub(shorter, match[0]), svg)
    styles = list(dict.fromkeys(TEXT_STYLE.findall(svg)))
    names = {style: f"t{number}" for number, style in enumerate(styles)}
    svg = TEXT_STYLE.sub(lambda match: f'<text class="{names[match[1]]}"', svg)
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    svg = LONE_TEXT.sub(r"\1", svg)
    return svg.replace("</style>", rules + "</style>", 1)
