# SPDX-License-Identifier: Apache-2.0
"""Runs an ONNX model by liboribi, in this process: NumPy arrays in, NumPy arrays out."""
import ctypes

import numpy as np

TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "int64": 9, "bool": 10,
         "uint16": 17, "float16": 19, "uint32": 22, "uint64": 23}
NAMES = {number: name for name, number in TYPES.items()}


class Refused(Exception):
    """What the library said."""


class Oribi:
    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        for name in ("TF_NewStatus", "TF_AllocateTensor", "TF_TensorData", "oribi_model_from_memory",
                     "oribi_session_create", "oribi_run_create", "oribi_run_output"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        for name in ("TF_Message", "oribi_model_input_name"):
            getattr(self.lib, name).restype = ctypes.c_char_p
        self.lib.TF_Dim.restype = ctypes.c_int64

    def run(self, data, inputs):
        """The outputs of a model, which `data` holds, in their order."""
        lib, status, made = self.lib, ctypes.c_void_p(self.lib.TF_NewStatus()), []

        def call(name, *arguments, destroy=None):
            value = getattr(lib, name)(*arguments, status)
            if lib.TF_GetCode(status) != 0:
                raise Refused(lib.TF_Message(status).decode())
            if destroy:
                made.append((destroy, ctypes.c_void_p(value)))
            return ctypes.c_void_p(value)

        try:
            model = call("oribi_model_from_memory", data, ctypes.c_size_t(len(data)), b"model", None,
                         destroy="oribi_model_destroy")
            session = call("oribi_session_create", model, None, destroy="oribi_session_destroy")
            run = call("oribi_run_create", session, destroy="oribi_run_destroy")
            for i in range(lib.oribi_model_num_inputs(model)):
                array = np.ascontiguousarray(inputs[lib.oribi_model_input_name(model, i).decode()])
                array = array.reshape(inputs[lib.oribi_model_input_name(model, i).decode()].shape)
                dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
                tensor = ctypes.c_void_p(lib.TF_AllocateTensor(TYPES[array.dtype.name], dims, array.ndim,
                                                               ctypes.c_size_t(array.nbytes)))
                made.append(("TF_DeleteTensor", tensor))
                if array.nbytes:
                    ctypes.memmove(ctypes.c_void_p(lib.TF_TensorData(tensor)), array.ctypes.data, array.nbytes)
                call("oribi_run_set_input", run, i, tensor)
            call("oribi_run_execute", run)
            return [self.array(call("oribi_run_output", run, i, destroy="TF_DeleteTensor"))
                    for i in range(lib.oribi_model_num_outputs(model))]
        finally:
            for name, value in reversed(made):
                getattr(lib, name)(value)
            lib.TF_DeleteStatus(status)

    def array(self, tensor):
        shape = [self.lib.TF_Dim(tensor, i) for i in range(self.lib.TF_NumDims(tensor))]
        array = np.zeros(shape, NAMES[self.lib.TF_TensorType(tensor)])
        if array.nbytes:
            ctypes.memmove(array.ctypes.data, ctypes.c_void_p(self.lib.TF_TensorData(tensor)), array.nbytes)
        return array
