# SPDX-License-Identifier: Apache-2.0
"""What of TensorFlow's C API reads and writes texts, of any library that has it."""
import ctypes as C

import c_api


class Buffer(C.Structure):
    _fields_ = [("data", C.c_void_p), ("length", C.c_size_t), ("deallocator", C.c_void_p)]


class Api(c_api.Api):
    def __init__(self, path):
        super().__init__(path)
        self.lib.TF_NewApiDefMap.restype = c_api.Pointer
        self.lib.TF_ApiDefMapGet.restype = C.POINTER(Buffer)
        self.lib.TF_GraphDebugString.restype = c_api.Pointer

    def buffer(self, data):
        return self.call("TF_NewBufferFromString", data, C.c_size_t(len(data)))

    def api_defs(self, ops, puts, names):
        """(code, message) of each text that is put; the ApiDef of each name that has one."""
        made = self.call("TF_NewApiDefMap", self.buffer(ops), self.status)
        self.check()
        results = []
        for text in puts:
            self.call("TF_ApiDefMapPut", made, text, C.c_size_t(len(text)), self.status)
            results.append((self.call("TF_GetCode", self.status), C.string_at(self.call("TF_Message", self.status))))
        found = {}
        for name in names:
            got = self.call("TF_ApiDefMapGet", made, name.encode(), C.c_size_t(len(name)), self.status)
            self.check()
            if got:
                found[name] = C.string_at(got.contents.data, got.contents.length)
                self.call("TF_DeleteBuffer", got)
        self.call("TF_ApiDefMapPut", made, b"", C.c_size_t(0), self.status)
        assert self.call("TF_GetCode", self.status) == 9  # it was read
        self.call("TF_DeleteApiDefMap", made)
        return results, found

    def debug_string(self, graph):
        length = C.c_size_t()
        made = self.call("TF_GraphDebugString", c_api.Graph(self, graph).graph, C.byref(length))
        text = C.string_at(made, length.value)
        C.CDLL(None).free(made)
        return text
