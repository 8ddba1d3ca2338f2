# SPDX-License-Identifier: Apache-2.0
"""Where is the library, what do its functions look like, and how does a status become an exception?

The declarations are those of include/oribi/oribi.h and include/tensorflow/c; nothing is called that is not in them.
"""
import ctypes
import os
import threading
from ctypes import c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint64, c_void_p

from ._errors import BY_CODE, Error

NATIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")


def _library_path():
    """ORIBI_LIBRARY, the wheel's own library, or the one that the system has."""
    named = os.environ.get("ORIBI_LIBRARY")
    own = os.path.join(NATIVE, "lib", "liboribi.so.1")
    return named or (own if os.path.exists(own) else "liboribi.so.1")


try:
    # Global: plugins without a need entry for the library find their functions in the process.
    lib = ctypes.CDLL(_library_path(), mode=ctypes.RTLD_GLOBAL)
except OSError as error:
    raise ImportError(f"oribi: {error}; install the wheel, or name the library by ORIBI_LIBRARY") from None


class TraceEvent(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("detail", c_char_p), ("lane", c_int32), ("reserved", c_int32),
                ("start_ns", c_uint64), ("end_ns", c_uint64), ("bytes", c_uint64), ("lane_name", c_char_p)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t), ("data_deallocator", c_void_p)]


class PluginTestSettings(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("seed", c_uint64), ("cases", c_char_p), ("only", c_char_p),
                ("n_cases", c_int32), ("timeout_ms", c_int32), ("progress", c_void_p), ("arg", c_void_p)]


DEALLOCATOR = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_void_p)
TRACE_HOOK = ctypes.CFUNCTYPE(None, c_void_p, ctypes.POINTER(TraceEvent))
LOG_HOOK = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)

P, S = c_void_p, c_char_p  # a handle, a text
_DECLARED = {
    "TF_NewStatus": (P,), "TF_DeleteStatus": (None, P), "TF_GetCode": (c_int, P), "TF_Message": (S, P),
    "TF_SetStatus": (None, P, c_int, S),
    "TF_NewBuffer": (P,), "TF_DeleteBuffer": (None, P),
    "TF_NewTensor": (P, c_int, P, c_int, P, c_size_t, DEALLOCATOR, P),
    "TF_AllocateTensor": (P, c_int, P, c_int, c_size_t),
    "TF_DeleteTensor": (None, P), "TF_TensorType": (c_int, P), "TF_NumDims": (c_int, P), "TF_Dim": (c_int64, P, c_int),
    "TF_TensorByteSize": (c_size_t, P), "TF_TensorData": (P, P),
    "TF_StringInit": (None, P), "TF_StringCopy": (None, P, P, c_size_t), "TF_StringGetDataPointer": (P, P),
    "TF_StringGetSize": (c_size_t, P),
    "TF_TensorVariantTensor": (P, P, c_int64, P), "TF_TensorSetVariantTensor": (None, P, c_int64, P, P),
    "TF_TensorToDLPack": (P, P, c_uint, P), "TF_TensorFromDLPack": (P, P, c_uint, P),
    "TF_TensorToDLPackUnversioned": (P, P, c_uint, P), "TF_TensorFromDLPackUnversioned": (P, P, c_uint, P),
    "oribi_version": (S,), "oribi_describe": (None, S, P, P), "oribi_plugin_load_file": (None, S, P),
    "oribi_plugin_load_search_path": (None, P), "oribi_plugin_examine": (None, S, S, P, P),
    "oribi_plugin_test": (None, S, ctypes.POINTER(PluginTestSettings), P, P), "oribi_set_log": (None, LOG_HOOK, P),
    "oribi_options_create": (P, P), "oribi_options_destroy": (None, P), "oribi_options_set_threads": (None, P, c_int),
    "oribi_options_set_max_bytes": (None, P, c_uint64), "oribi_options_set_follow_links": (None, P, c_bool),
    "oribi_options_set_read_files": (None, P, c_bool), "oribi_options_set_check": (None, P, S, P),
    "oribi_options_set_record": (None, P, S, S, P), "oribi_options_set_time_limit": (None, P, c_uint64),
    "oribi_options_set_tflite_variant": (None, P, S, P), "oribi_options_set_signature": (None, P, S, P),
    "oribi_options_set_kernels": (None, P, S, P),
    "oribi_options_disable_pass": (None, P, S, P), "oribi_options_set_device": (None, P, S, P),
    "oribi_options_place_node": (None, P, S, S, P), "oribi_options_set_soft_placement": (None, P, c_bool),
    "oribi_options_set_device_max_bytes": (None, P, c_uint64),
    "oribi_options_set_input_shape": (None, P, S, P, c_int, P),
    "oribi_options_set_input_bound": (None, P, S, c_int, c_int64, P),
    "oribi_model_open": (P, S, P, P), "oribi_model_from_memory": (P, P, c_size_t, S, P, P),
    "oribi_model_destroy": (None, P), "oribi_model_num_inputs": (c_int, P), "oribi_model_num_outputs": (c_int, P),
    "oribi_model_input_name": (S, P, c_int), "oribi_model_output_name": (S, P, c_int),
    "oribi_model_input_type": (c_int, P, c_int), "oribi_model_output_type": (c_int, P, c_int),
    "oribi_model_input_shape": (c_int, P, c_int, P, c_int), "oribi_model_output_shape": (c_int, P, c_int, P, c_int),
    "oribi_model_input_quantisation": (c_int, P, c_int, P, P),
    "oribi_model_output_quantisation": (c_int, P, c_int, P, P),
    "oribi_model_num_states": (c_int, P), "oribi_model_metadata": (S, P, S), "oribi_model_metadata_key": (S, P, c_int),
    "oribi_session_create": (P, P, P, P), "oribi_session_destroy": (None, P),
    "oribi_session_describe": (None, P, S, P, P),
    "oribi_run_create": (P, P, P), "oribi_run_destroy": (None, P), "oribi_run_set_input": (None, P, c_int, P, P),
    "oribi_run_set_output": (None, P, c_int, P, P), "oribi_run_reset": (None, P, P),
    "oribi_run_execute": (None, P, P), "oribi_run_output": (P, P, c_int, P), "oribi_run_cancel": (None, P),
    "oribi_run_set_time_limit": (None, P, c_uint64), "oribi_run_set_trace": (None, P, TRACE_HOOK, P),
}
for _name, (_result, *_arguments) in _DECLARED.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


class _Status(threading.local):
    """A status for each thread: calls of one thread come one after the other."""

    def __init__(self):
        self.handle = lib.TF_NewStatus()

    def __del__(self):
        lib.TF_DeleteStatus(self.handle)


_status = _Status()


class inner_status:
    """While the library calls Python, the thread's status is the one that the library fills: what is called inside has another."""

    def __enter__(self):
        self.outer, _status.handle = _status.handle, lib.TF_NewStatus()

    def __exit__(self, *_):
        lib.TF_DeleteStatus(_status.handle)
        _status.handle = self.outer


def status():
    """The thread's status, to be handed over as the last argument and then to `check`."""
    return _status.handle


def check(handle):
    """Raises what the status says; nothing when it is OK."""
    code = lib.TF_GetCode(handle)
    if code:
        raise BY_CODE.get(code, Error)(lib.TF_Message(handle).decode("utf-8", "replace"))


def call(name, *arguments):
    """Calls a function whose last argument is a status."""
    handle = _status.handle
    result = getattr(lib, name)(*arguments, handle)
    check(handle)
    return result


def text(value):
    """A path or a name as the library takes it."""
    return os.fsencode(value) if isinstance(value, os.PathLike) else \
        value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def call_json(name, *arguments):
    """Calls a function that fills a TF_Buffer with JSON before its status, and reads it."""
    import json

    handle = lib.TF_NewBuffer()
    try:
        call(name, *arguments, handle)
        buffer = Buffer.from_address(handle)
        return json.loads(ctypes.string_at(buffer.data, buffer.length))
    finally:
        lib.TF_DeleteBuffer(handle)
