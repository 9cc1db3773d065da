"""The public symbols of the library modules, as the compiler writes them down.

`check-docs`, `docs` and `api` read the same symbol graphs, which `swift symbolgraph-extract` makes from built modules. With
a folder in MODELKIT_SYMBOL_GRAPHS the first of them writes the graphs there, and the others read those: `.ci/run` runs all
three.
"""

import concurrent.futures
import json
import os
import shutil
from pathlib import Path
from urllib.parse import unquote, urlparse

import project

# The packages that no build of the root contains, in steps of `.ci/run` of their own.
APART = (*project.BEHIND_TRAITS, "AsyncHTTPTransport", "Server")


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


def add_package_option(arguments):
    arguments.add_argument(
        "--package", choices=APART, help="a package whose modules are no part of a build of the root, instead of the root")


def modules(package=None):
    """Returns the modules of the library products in the order of the packages, so that none comes before one it uses.

    Without a package they are those of the root. Modules behind traits are left out: they have no symbols without what has to
    be installed."""
    folder = project.PACKAGES / package if package else project.ROOT
    with project.temporary_directory("manifest") as scratch:
        manifest = project.dumped_manifest(folder, scratch)
    wanted = {name for product in manifest["products"] if "library" in product["type"] for name in product["targets"]}
    found = [Module(target["name"], folder / (target.get("path") or f"Sources/{target['name']}"))
             for target in manifest["targets"] if target["name"] in wanted]
    if package:
        return found
    found = [module for module in found if module.package not in project.BEHIND_TRAITS]
    order = {package: place for place, package in enumerate(project.LIBRARIES)}
    # In one package the target that others use stands first in the manifest.
    return sorted(found, key=lambda module: order.get(module.package, len(order)))


def write_graphs(scratch, names, package=None):
    """Builds the modules named, writes their symbol graphs, and returns the files by module."""
    shared = os.environ.get("MODELKIT_SYMBOL_GRAPHS")
    if shared and Path(shared).is_dir():
        return files_by_module(Path(shared), names)
    traits = ["--traits", "Postgres"] if package in project.BEHIND_TRAITS else []
    build = project.build_command(project.PACKAGES / package if package else project.ROOT, scratch, *traits)
    project.run(build, capture=True, check="the library doesn't build; the errors are above")
    shown = project.run(build + ["--show-bin-path"], capture=True, check="SwiftPM didn't name its folder")
    binaries = Path(shown.stdout.strip())
    folder = Path(shared) if shared else binaries.parent / "symbolgraph"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    target = json.loads(project.run(["swiftc", "-print-target-info"], capture=True, check="swiftc failed").stdout)["target"]
    arguments = ["-target", target["unversionedTriple"], "-minimum-access-level", "public", "-skip-synthesized-members",
                 *project.module_arguments(binaries), "-output-dir", folder]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: project.run(
            ["swift", "symbolgraph-extract", "-module-name", name, *arguments], capture=True,
            check=f"the symbol graph of {name} can't be written; the errors are above"), names))
    return files_by_module(folder, names)


def files_by_module(folder, names):
    """Returns the symbol graphs in a folder by module."""
    found = {name: [] for name in names}
    for path in sorted(folder.glob("*.symbols.json")):
        # Extensions of another module's types come in a file of their own: `FieldKit@Swift.symbols.json`.
        name = path.name[: -len(".symbols.json")].split("@")[0]
        if name in found:
            found[name].append(path)
    return found


def graphs(scratch, names, package=None):
    """Writes the symbol graphs of the modules named, and returns them, parsed, by module."""
    return {name: [json.loads(path.read_text(encoding="utf-8")) for path in paths]
            for name, paths in write_graphs(scratch, names, package).items()}


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
