# SPDX-License-Identifier: Apache-2.0
"""How is the command that came with the wheel called from Python? `compile` and `verify` are it, with its `--json`."""
import collections
import json
import os

from ._errors import BY_CODE
from ._lib import NATIVE

# Exit codes of the command, and what they are as an exception.
_CODES = {2: 3, 3: 12, 4: 3, 5: 8, 6: 9}
Done = collections.namedtuple("Done", "returncode stdout stderr")


def path():
    """The command: ORIBI_COMMAND, that of the wheel, or the one that PATH has."""
    import shutil

    own = os.path.join(NATIVE, "bin", "oribi")
    found = os.environ.get("ORIBI_COMMAND") or (own if os.path.exists(own) else shutil.which("oribi"))
    if not found:
        raise FileNotFoundError("the command `oribi` is neither in the wheel nor in PATH")
    return found


def command(*words, check=True, **options):
    """Runs `oribi WORDS...`: Done(returncode, stdout, stderr). Raises what its exit code means, unless `check` is false.

    >>> oribi.command("version").returncode
    0
    """
    import subprocess

    done = subprocess.run([path(), *[os.fspath(w) if isinstance(w, os.PathLike) else str(w) for w in words]],
                          capture_output=True, **options)
    stdout, stderr = (b.decode("utf-8", "replace") for b in (done.stdout, done.stderr))
    if check and done.returncode:
        raise BY_CODE[_CODES.get(done.returncode, 2)](stderr.strip() or f"oribi {words[0]} ended with {done.returncode}")
    return Done(done.returncode, stdout, stderr)


def _words(options, plugins):
    """io="pool" becomes --io pool; True a flag; a list the option several times."""
    words = []
    for value in [plugins] if isinstance(plugins, (str, os.PathLike)) else plugins:
        words += ["--plugin", value]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [] if one is None or one is False else [option] if one is True else [option, one]
    return words


def compile(models, output, *, plugins=(), force=False, **options):
    """Compiles a model, or several, to C99 in the folder `output`, as `oribi compile` does: what `--json` says. Options are those of
    the command, with _ for -.

    >>> report = oribi.compile(digits_int8, folder, name="digits")
    >>> os.path.exists(os.path.join(folder, "tvmgen_digits.h"))
    True
    """
    models = [models] if isinstance(models, (str, os.PathLike)) else list(models)
    done = command("compile", *models, "-o", output, "--json", *_words({"force": force, **options}, plugins))
    return json.loads(done.stdout) if done.stdout.strip() else None


class Verified(dict):
    """What `oribi verify --json` says; true when emitted C and model agree."""

    passed = False

    def __bool__(self):
        return self.passed


def verify(model, *, plugins=(), **options):
    """Compiles the model, builds and runs its C, and compares with the model here, as `oribi verify` does."""
    done = command("verify", model, "--json", *_words(options, plugins), check=False)
    if done.returncode not in (0, 1):
        raise BY_CODE[_CODES.get(done.returncode, 2)](done.stderr.strip() or f"oribi verify ended with {done.returncode}")
    found = json.loads(done.stdout) if done.stdout.strip() else {}
    result = Verified(found if isinstance(found, dict) else {"results": found})
    result.passed = done.returncode == 0
    return result


def main():
    """`python -m oribi` and the script `oribi` of the wheel: the command in this process' place."""
    import sys

    os.execv(path(), ["oribi", *sys.argv[1:]])
