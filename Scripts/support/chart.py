"""Draws comparisons of two times as an SVG that follows the light or dark appearance of the page."""

import re
from html import escape

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
WIDTH, LABEL, ROW, BAR, TOP = 760, 250, 46, 14, 34
LONGEST = WIDTH - LABEL - 190

STYLE = """\
  <style>
    text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
    .peer { fill: #59636e }
    .ours-bar { fill: #0969da }
    .peer-bar { fill: #afb8c1 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .peer { fill: #9198a1 }
      .ours-bar { fill: #4493f8 }
      .peer-bar { fill: #484f58 }
    }
  </style>"""


def nanoseconds(text):
    match = re.fullmatch(r"([\d.,]+) (ns|µs|ms|s)", text)
    if match is None:
        raise ValueError(f"'{text}' is no time")
    return float(match[1].replace(",", "")) * UNITS[match[2]]


def bars(rows, title):
    """An SVG with two bars for each row: what was done, our time, the peer, and its time."""
    height = TOP + len(rows) * ROW
    described = "; ".join(f"{what}: {ours}, {peer} {theirs}" for what, ours, peer, theirs in rows)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img"'
        ' aria-labelledby="title description">',
        f'  <title id="title">{escape(title)}</title>',
        f'  <desc id="description">{escape(described)}</desc>',
        STYLE,
        f'  <rect class="ours-bar" x="{LABEL}" y="8" width="12" height="12"/><text x="{LABEL + 18}" y="18">ModelKit</text>',
        f'  <rect class="peer-bar" x="{LABEL + 100}" y="8" width="12" height="12"/>'
        f'<text x="{LABEL + 118}" y="18">compared with (shorter is faster)</text>',
    ]
    for number, (what, ours, peer, theirs) in enumerate(rows):
        top = TOP + number * ROW
        times = nanoseconds(ours), nanoseconds(theirs)
        # No bar is so short that it can't be seen.
        lengths = [max(2, round(LONGEST * time / max(times))) for time in times]
        out += [
            f'  <text x="{LABEL - 12}" y="{top + BAR + 4}" text-anchor="end">{escape(what)}</text>',
            f'  <rect class="ours-bar" x="{LABEL}" y="{top}" width="{lengths[0]}" height="{BAR}"/>',
            f'  <text x="{LABEL + lengths[0] + 6}" y="{top + 12}">{escape(ours)}</text>',
            f'  <rect class="peer-bar" x="{LABEL}" y="{top + BAR + 3}" width="{lengths[1]}" height="{BAR}"/>',
            f'  <text class="peer" x="{LABEL + lengths[1] + 6}" y="{top + BAR + 15}">'
            f'{escape(theirs)} {escape(short(peer))}</text>',
        ]
    return "\n".join(out + ["</svg>", ""])


def short(peer):
    """The name of a peer without what was done with it."""
    return peer.split(",")[0].replace("OpenCombine CurrentValueSubject", "OpenCombine")
