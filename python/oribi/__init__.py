# SPDX-License-Identifier: Apache-2.0
"""Oribi: run ONNX, TFLite and TensorFlow models, compile them to C, extend them by plugins.

    import oribi
    session = oribi.Session("model.onnx")
    outputs = session.run({"x": array})

NumPy is used where it is installed and never needed. docs/guide/python.md begins with examples.
"""
from ._errors import *  # noqa: F401,F403
from ._errors import Error
from ._lib import lib as _lib
from ._session import Port, Session, Stream
from ._tensor import Tensor, empty, tensor

__version__ = _lib.oribi_version().decode()
_LAZY = {"picture": "_picture", "compile": "_command", "verify": "_command", "command": "_command", "op": "_op", "plugin": None, "compat": None,
         "onnx_backend": None}


def __getattr__(name):
    """What most programs do not use is read when it is asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'oribi' has no attribute {name!r}")
    import importlib

    module = importlib.import_module(f".{_LAZY[name] or name}", __name__)
    found = module if _LAZY[name] is None else getattr(module, name)
    globals()[name] = found
    return found


def get_include(plugin=False):
    """Folder of the headers: of applications, or of plugins (what `pkg-config --cflags oribi-plugin` names)."""
    import os

    from ._lib import NATIVE

    return os.path.join(NATIVE, "include", "oribi-plugin" if plugin else "oribi")


def describe(what):
    """What the library says of the process: "ops", "op:NAME", "kernels", "plugins", "devices", "map"."""
    from ._lib import call_json, text

    return call_json("oribi_describe", text(what))
