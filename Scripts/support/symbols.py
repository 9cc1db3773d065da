"""The public symbols of the library modules, as the compiler writes them down.

`check-docs`, `docs` and `api` read the same symbol graphs, made by `swift package dump-symbol-graph`. With a folder in
MODELKIT_SYMBOL_GRAPHS the first of them writes the graphs there, and the others read those: `.ci/run` runs all three.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import project
from project import Failure


class Module:
    """A library module: its name, its folder under Packages/, and the folder of its sources."""

    def __init__(self, name, sources):
        self.name = name
        self.sources = sources
        self.package = sources.relative_to(project.PACKAGES).parts[0]

    @property
    def catalog(self):
        """The DocC catalog of the module, if it has one."""
        found = sorted(self.sources.glob("*.docc"))
        return found[0] if found else None


def modules():
    """Returns the modules of the library products in the order of the packages, so that none comes before one it uses.

    Those behind traits are left out: they have no symbols without what has to be installed."""
    with project.temporary_directory("manifest") as scratch:
        manifest = project.dumped_manifest(project.ROOT, scratch)
    wanted = {name for product in manifest["products"] if "library" in product["type"] for name in product["targets"]}
    found = [Module(target["name"], project.ROOT / target["path"])
             for target in manifest["targets"] if target["name"] in wanted]
    found = [module for module in found if module.package not in project.BEHIND_TRAITS]
    order = {package: place for place, package in enumerate(project.LIBRARIES)}
    # In one package the target that others use stands first in the manifest.
    return sorted(found, key=lambda module: order.get(module.package, len(order)))


def write_graphs(scratch, names):
    """Writes the symbol graphs of the modules named, and returns the files by module."""
    shared = os.environ.get("MODELKIT_SYMBOL_GRAPHS")
    if shared and Path(shared).is_dir():
        return files_by_module(Path(shared), names, "")
    package = ["--package-path", project.ROOT] + (["--scratch-path", scratch] if scratch else [])
    binaries = project.run(["swift", "build", *package, "--show-bin-path"], capture=True,
                           check="SwiftPM didn't name its folder; the errors are above")
    folder = Path(binaries.stdout.strip()).parent / "symbolgraph"
    shutil.rmtree(folder, ignore_errors=True)
    # The status is no help: it is also a failure if only the test modules, which were not built, have no graph.
    result = project.run(
        ["swift", "package", *package, "dump-symbol-graph", "--minimum-access-level", "public",
         "--skip-synthesized-members"], capture=True)
    found = files_by_module(folder, names, result.stdout + result.stderr)
    if shared:
        shutil.copytree(folder, shared)
    return found


def files_by_module(folder, names, output):
    """Returns the symbol graphs in a folder by module; fails with the output of the compiler if a module has none."""
    found = {name: [] for name in names}
    for path in sorted(folder.glob("*.symbols.json")):
        # Extensions of another module's types come in a file of their own: `FieldKit@Swift.symbols.json`.
        name = path.name[: -len(".symbols.json")].split("@")[0]
        if name in found:
            found[name].append(path)
    for name, paths in found.items():
        if not paths:
            sys.stderr.write(output)
            raise Failure(f"the symbol graph of {name} can't be written; the errors are above")
    return found


def graphs(scratch, names):
    """Writes the symbol graphs of the modules named, and returns them, parsed, by module."""
    return {name: [json.loads(path.read_text(encoding="utf-8")) for path in paths]
            for name, paths in write_graphs(scratch, names).items()}


def location(symbol):
    """The file and line, counted from 1, where a symbol is declared; nothing for one outside the repository."""
    place = symbol.get("location")
    if not place:
        return None
    path = Path(unquote(urlparse(place["uri"]).path)).resolve()
    if project.ROOT not in path.parents:
        return None
    return project.relative(path), place["position"]["line"] + 1


def is_written(symbol):
    """Whether the symbol is written here, and not by the compiler or in another repository."""
    return location(symbol) is not None and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
