"""What the scripts share: where things are, which packages there are, and how to run a command.

Python's standard library only, and nothing newer than Python 3.9.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "Packages"

# The list of the folders under Packages/. The libraries stand in the order in which they build:
# nothing imports what comes after it.
LIBRARIES = (
    "Observation",
    "FieldKit",
    "ModelCore",
    "StoreProtocol",
    "MemoryStore",
    "FileStore",
    "RESTStore",
    "RESTService",
    "SyncStore",
    "SchemaKit",
    "ModelKit",
)

# Libraries behind traits of the root package, which are off by default and need something that has to be installed. They
# stand after the others.
BEHIND_TRAITS = ("PostgresStore",)

# These use the libraries as an app does, or have dependencies of their own. The root manifest doesn't name them, and no
# package imports them.
STANDING_APART = ("AsyncHTTPTransport", "Bookshop", "Examples", "Benchmarks", "Fuzzing", "Server")

# The spelling of a platform in a manifest, by its name in a dumped manifest.
PLATFORMS = {
    "macos": "macOS",
    "maccatalyst": "macCatalyst",
    "ios": "iOS",
    "tvos": "tvOS",
    "watchos": "watchOS",
    "visionos": "visionOS",
}


class Failure(Exception):
    """A check that did not pass, or could not run: the sentence to show."""


def parser(description, epilog=None):
    """Returns an argument parser whose help keeps the line breaks of `description`."""
    return argparse.ArgumentParser(
        description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def say(text=""):
    """Prints at once, also into a pipe."""
    print(text, flush=True)


def main(check):
    """Runs `check` as a script: a `Failure` is printed to standard error and ends it with status 1."""
    name = Path(sys.argv[0]).name
    # Leaving by an exception lets every temporary directory and child process be cleaned up.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        check()
    except Failure as failure:
        sys.stdout.flush()
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)


def run(arguments, cwd=None, capture=False, check=None, timeout=None, environment=None, input=None):
    """Runs a command to its end and returns it, with its output (both streams, as text) if `capture`.

    `check` is the sentence of the `Failure` raised when the command fails. The command gets a process group of
    its own, which is ended with it, so that nothing it started stays behind.
    """
    arguments = [str(argument) for argument in arguments]
    pipe = subprocess.PIPE if capture else None
    try:
        process = subprocess.Popen(
            arguments,
            cwd=cwd,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=pipe,
            stderr=pipe,
            env={**os.environ, **environment} if environment else None,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise Failure(f"`{arguments[0]}` was not found: install it, or put it on the PATH") from None
    try:
        output, errors = process.communicate(input=input, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"`{' '.join(arguments)}` took longer than {timeout} s and was ended") from None
    finally:
        end_group(process)
    result = subprocess.CompletedProcess(
        arguments,
        process.returncode,
        (output or b"").decode("utf-8", "replace"),
        (errors or b"").decode("utf-8", "replace"),
    )
    if check is not None and result.returncode != 0:
        sys.stderr.write(result.stdout + result.stderr)
        raise Failure(check)
    return result


def end_group(process):
    """Kills what is left of the process group that `run` made, and reaps its first process."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def temporary_directory(purpose):
    """A directory that is gone afterwards, also when the check fails."""
    path = Path(tempfile.mkdtemp(prefix=f"modelkit-{purpose}-")).resolve()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def tracked_files():
    """Returns the paths of the files in version control and of new ones that aren't ignored, from the root."""
    listing = run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture=True, check="`git ls-files` failed: run this in a clone of the repository",
    )
    return sorted(path for path in listing.stdout.split("\0") if path and (ROOT / path).is_file())


def platforms_source(manifest):
    """Returns the `platforms:` of a dumped manifest as Swift source."""
    return ", ".join(
        f'.{PLATFORMS.get(platform["platformName"], platform["platformName"])}("{platform["version"]}")'
        for platform in manifest["platforms"]
    )


def dumped_manifest(package, scratch):
    """Returns the manifest of the package at `package` as SwiftPM evaluates it."""
    import json

    dump = run(
        ["swift", "package", "--package-path", package, "--scratch-path", scratch, "dump-package"],
        capture=True, check=f"{relative(package / 'Package.swift')} can't be evaluated; the errors are above",
    )
    return json.loads(dump.stdout)


def build_command(package, scratch, *more):
    """Returns the command that builds the package in a folder, with the flags in MODELKIT_BUILD_FLAGS: those with which the
    build folder was made, so that nothing is compiled again."""
    command = ["swift", "build", "--package-path", package, *(["--scratch-path", scratch] if scratch else []), *more]
    return command + os.environ.get("MODELKIT_BUILD_FLAGS", "").split()


def module_arguments(binaries):
    """Returns the arguments by which the compiler finds the modules that were built in a folder, and those in C."""
    maps = [path for path in sorted(binaries.glob("*.build/module.modulemap")) if "-tool." not in path.parent.name]
    # Those that the sources have, of packages behind traits and of fetched ones.
    sources = [PACKAGES / name for name in BEHIND_TRAITS] + sorted(binaries.resolve().parents[1].glob("checkouts/*"))
    maps += [path for folder in sources for pattern in ("*/module.modulemap", "*/include/module.modulemap")
             for path in sorted((folder / "Sources").glob(pattern))]
    return ["-I", binaries / "Modules", *(part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}"))]


def library_products(manifest):
    """Returns the names of the library products of a dumped manifest, in its order."""
    return [product["name"] for product in manifest["products"] if "library" in product["type"]]


def relative(path):
    """Returns `path` as it is written from the root, if it lies inside."""
    path = Path(path)
    try:
        return str(path.relative_to(ROOT)) or "."
    except ValueError:
        return str(path)


IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?(\w+)"
)


def imports(source):
    """Returns the line number and module of every import in Swift source."""
    found = []
    for number, line in enumerate(source.splitlines(), 1):
        match = IMPORT.match(line)
        if match:
            found.append((number, match.group(1)))
    return found
