#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kit of graph optimisers against TensorFlow: a GraphDef that TensorFlow wrote goes through
include/oribi/graph_kit.h, with an attribute added to each node, and is to TensorFlow's protobuf the same
graph with these attributes. And the kit in C, the example optimiser in C++ (TensorFlow's ops.h is no C) compile against
TensorFlow's own headers, and what they give loads there.

    graph_kit.py SOURCE_FOLDER WORK_FOLDER C_COMPILER CXX_COMPILER
"""
import ctypes
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    print("skipped: there is no tensorflow")
    sys.exit(77)

SOURCE, WORK = (pathlib.Path(p) for p in sys.argv[1:3])
CC, CXX = sys.argv[3:5]
THROUGH = """
#include "oribi/graph_kit.h"
bool through(const void *data, size_t n, TF_Buffer *out, TF_Status *status);
bool through(const void *data, size_t n, TF_Buffer *out, TF_Status *status)
{
    const TF_Buffer in = {data, n, NULL};
    oribi_rewrite rewrite;
    if (!oribi_rewrite_begin(&rewrite, &in, status)) {
        return false;
    }
    for (int i = 0; i < rewrite.n_nodes; i++) {
        int64_t strides[8];
        const int n_strides = oribi_rewrite_get_ints(rewrite.nodes[i], "strides", strides, 8);
        oribi_rewrite_set_int(&rewrite, rewrite.nodes[i], "added", -i);
        if (n_strides > 0) {
            oribi_rewrite_set_ints(&rewrite, rewrite.nodes[i], "strides", strides, n_strides);
        }
    }
    oribi_rewrite_end(&rewrite, out);
    return true;
}
"""


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("deallocator", ctypes.c_void_p)]


def build(compiler, name, text, tensorflow):
    """Sees the kits, and TensorFlow's headers instead of ours."""
    source, output, kits = WORK / name, (WORK / name).with_suffix(".so"), WORK / "kits/oribi"
    kits.mkdir(parents=True, exist_ok=True)
    for kit in (SOURCE / "include/oribi").glob("*_kit*.h"):
        (kits / kit.name).write_text(kit.read_text())
    source.write_text(text)
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{kits.parent}", f"-I{tensorflow / 'include'}", str(source), "-o", str(output), "-lm"],
                   check=True)
    return output


def net(x):
    return tf.nn.swish(tf.nn.conv2d(x, tf.ones([3, 3, 3, 4]), [1, 2, 2, 1], "SAME") + 1.0)


def main():
    folder = pathlib.Path(tf.__file__).parent
    status = None
    for name in ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2"):
        library = ctypes.CDLL(str(folder / name), ctypes.RTLD_GLOBAL)
        if status is None:
            library.TF_NewStatus.restype = ctypes.c_void_p
            status = ctypes.c_void_p(library.TF_NewStatus())
    through = ctypes.CDLL(str(build(CC, "graph_kit_through.c", THROUGH, folder))).through
    through.restype = ctypes.c_bool
    function = tf.function(net, input_signature=[tf.TensorSpec([None, 8, 8, 3])])
    graph = function.get_concrete_function().graph.as_graph_def(add_shapes=True)
    data = graph.SerializeToString()
    out = Buffer()
    assert through(data, ctypes.c_size_t(len(data)), ctypes.byref(out), status)
    back = tf.compat.v1.GraphDef.FromString(ctypes.string_at(out.data, out.length))
    for i, node in enumerate(back.node):
        assert node.attr["added"].i == -i, node.name
        del node.attr["added"]
    assert back == graph, "the graph came back changed"

    example = (SOURCE / "examples/optimiser/swish.c").read_text().replace('ORIBI_PLUGIN("swish", "1.0", "Apache-2.0");', "")
    plugin = build(CXX, "graph_kit_swish.cc", example, folder)
    tf.load_library(str(plugin))
    print(f"{len(graph.node)} nodes the same; {plugin.name} is loaded")


main()
