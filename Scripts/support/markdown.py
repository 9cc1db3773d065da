"""Sections of Markdown files that scripts write, between two comments: `<!-- name:begin -->` and `<!-- name:end -->`."""

import project
from project import Failure


def bounds(lines, name, file):
    """The indices of the two comments of a section."""
    found = [[number for number, line in enumerate(lines) if line.strip() == f"<!-- {name}:{edge} -->"]
             for edge in ("begin", "end")]
    if not found[0] and not found[1]:
        return None
    if len(found[0]) != 1 or len(found[1]) != 1 or found[0][0] > found[1][0]:
        raise Failure(f"{project.relative(file)}: a section has one line `<!-- {name}:begin -->` and, below it, one line "
                      f"`<!-- {name}:end -->`")
    return found[0][0], found[1][0]


def replaced(text, name, content, file):
    """Returns a document with `content` in the section, which has to be there."""
    lines = text.split("\n")
    place = bounds(lines, name, file)
    if place is None:
        raise Failure(f"{project.relative(file)} has no section `<!-- {name}:begin -->`")
    return "\n".join(lines[: place[0] + 1] + ["", *content.strip("\n").split("\n"), ""] + lines[place[1] :])


def section(text, name, file):
    """Returns what stands in a section."""
    lines = text.split("\n")
    place = bounds(lines, name, file)
    if place is None:
        raise Failure(f"{project.relative(file)} has no section `<!-- {name}:begin -->`")
    return "\n".join(lines[place[0] + 1 : place[1]])


def rows(text):
    """Returns the rows of the tables in a piece of Markdown, as lists of cells, without those of headings."""
    lines = [line.strip() for line in text.splitlines()]
    found = []
    for number, line in enumerate(lines):
        if not line.startswith("|") or set(line) <= set("|-: "):
            continue
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if below.startswith("|") and set(below) <= set("|-: "):
            continue
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found
