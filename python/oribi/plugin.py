# SPDX-License-Identifier: Apache-2.0
"""Which plugins are there? Loads them, and looks at a file before anybody trusts it."""
from ._lib import call, call_json, text


def load(path, **options):
    """Loads a plugin, probed in a helper process first; options are the plugin's own. The same file twice is one plugin."""
    spec = text(path)
    if options:
        spec += b":" + b",".join(text(f"{key}={value}") for key, value in options.items())
    call("oribi_plugin_load_file", spec)


def load_search_path():
    """Loads what ORIBI_PLUGIN_PATH and the install folder hold."""
    call("oribi_plugin_load_search_path")


def loaded():
    """The plugins of this process."""
    return call_json("oribi_describe", b"plugins")


def check(path):
    """Findings about a plugin's file; nothing of it stays in this process."""
    return call_json("oribi_plugin_examine", text(path), b"check")


def describe(path):
    """Ops, kernels and needs of a plugin's file."""
    return call_json("oribi_plugin_examine", text(path), b"describe")
