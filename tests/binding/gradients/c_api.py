# SPDX-License-Identifier: Apache-2.0
"""As much of TensorFlow's C API as gradients want, of any library that has it, through ctypes."""
import ctypes as C

import numpy as np

TYPES = {np.dtype("f4"): 1, np.dtype("f8"): 2, np.dtype("i4"): 3, np.dtype("i8"): 9, np.dtype("?"): 10}
NUMBERS = {v: k for k, v in TYPES.items()}


class Pointer(C.c_void_p):
    """What a call gives stays a pointer, not a number."""


class Output(C.Structure):
    _fields_ = [("oper", C.c_void_p), ("index", C.c_int)]


POINTERS = ("TF_NewGraph", "TF_NewStatus", "TF_NewBufferFromString", "TF_NewImportGraphDefOptions", "TF_NewSession", "TF_NewSessionOptions",
            "TF_GraphOperationByName", "TF_AllocateTensor", "TF_TensorData", "TF_OperationName", "TF_Message")


class Api:
    def __init__(self, path):
        self.lib = C.CDLL(str(path))
        for name in POINTERS:
            getattr(self.lib, name).restype = Pointer
        self.lib.TF_Dim.restype = C.c_int64
        self.status = self.call("TF_NewStatus")

    def call(self, name, *args):
        return getattr(self.lib, name)(*args)

    def check(self):
        if self.call("TF_GetCode", self.status) != 0:
            raise RuntimeError(C.string_at(self.call("TF_Message", self.status)).decode())


class Graph:
    def __init__(self, api, graph_def):
        self.api, self.graph = api, api.call("TF_NewGraph")
        buffer = api.call("TF_NewBufferFromString", graph_def, C.c_size_t(len(graph_def)))
        options = api.call("TF_NewImportGraphDefOptions")
        api.call("TF_GraphImportGraphDef", self.graph, buffer, options, api.status)
        api.check()

    def output(self, name):
        operation, _, index = name.partition(":")
        found = self.api.call("TF_GraphOperationByName", self.graph, operation.encode())
        assert found.value, name
        return Output(found.value, int(index or 0))

    def outputs(self, names):
        return (Output * max(len(names), 1))(*[self.output(n) for n in names])

    def gradients(self, ys, xs, dx=None, prefix=None):
        """The outputs that hold them."""
        found = (Output * len(xs))()
        given = None if dx is None else self.outputs(dx)
        self.api.call("TF_AddGradientsWithPrefix", self.graph, prefix, self.outputs(ys), len(ys), self.outputs(xs), len(xs), given,
                      self.api.status, found)
        self.api.check()
        return list(found)

    def name(self, output):
        return C.string_at(self.api.call("TF_OperationName", Pointer(output.oper))).decode()

    def tensor(self, value):
        value = np.asarray(value, order="C")
        dims = (C.c_int64 * max(value.ndim, 1))(*value.shape)
        tensor = self.api.call("TF_AllocateTensor", TYPES[value.dtype], dims, value.ndim, C.c_size_t(value.nbytes))
        C.memmove(self.api.call("TF_TensorData", tensor), value.tobytes(), value.nbytes)
        return tensor

    def array(self, tensor):
        dims = [self.api.call("TF_Dim", tensor, i) for i in range(self.api.call("TF_NumDims", tensor))]
        dtype = NUMBERS[self.api.call("TF_TensorType", tensor)]
        data = C.string_at(self.api.call("TF_TensorData", tensor), int(np.prod(dims)) * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(dims)

    def run(self, feeds, fetches):
        """feeds: name: value; fetches: outputs."""
        api = self.api
        session = api.call("TF_NewSession", self.graph, api.call("TF_NewSessionOptions"), api.status)
        api.check()
        values = (Pointer * max(len(feeds), 1))(*[self.tensor(v) for v in feeds.values()])
        results = (Pointer * len(fetches))()
        api.call("TF_SessionRun", session, None, self.outputs(list(feeds)), values, len(feeds), (Output * len(fetches))(*fetches), results,
                 len(fetches), None, 0, None, api.status)
        api.check()
        return [self.array(r) for r in results]
