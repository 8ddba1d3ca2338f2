# SPDX-License-Identifier: Apache-2.0
"""How does a tensor go to another library and come from one, without a copy, as a DLPack capsule?"""
import ctypes

from ._lib import call

_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

# Capsules keep the pointer to their name.
_PLAIN, _VERSIONED = ctypes.c_char_p(b"dltensor"), ctypes.c_char_p(b"dltensor_versioned")
_USED = {_PLAIN.value: ctypes.c_char_p(b"used_dltensor"), _VERSIONED.value: ctypes.c_char_p(b"used_dltensor_versioned")}
_COPY = 1
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", _DELETER)]


class _Plain(ctypes.Structure):  # after the 48 bytes of DLTensor
    _fields_ = [("tensor", ctypes.c_uint8 * 48), ("context", ctypes.c_void_p), ("deleter", _DELETER)]


# On the raw pointer: a capsule that is being destroyed must not get another reference.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule):
    """Destructor: a capsule that nobody took gives its tensor back."""
    for name, layout in ((_PLAIN.value, _Plain), (_VERSIONED.value, _Versioned)):
        if _is_valid(capsule, name):
            address = _pointer(capsule, name)
            layout.from_address(address).deleter(address)


def lend(handle, max_version, copy):
    flags = _COPY if copy else 0
    if max_version is not None and max_version[0] >= 1:
        managed, name = call("TF_TensorToDLPack", handle, flags), _VERSIONED
    else:
        managed, name = call("TF_TensorToDLPackUnversioned", handle, flags), _PLAIN
    return _python.PyCapsule_New(managed, name, ctypes.cast(_drop, ctypes.c_void_p))


def take(value, flags):
    """A handle over the memory of a value that has `__dlpack__`."""
    try:
        capsule = value.__dlpack__(max_version=(1, 1))
    except TypeError:  # before DLPack 1.0
        capsule = value.__dlpack__()
    for name, function in ((_VERSIONED, "TF_TensorFromDLPack"), (_PLAIN, "TF_TensorFromDLPackUnversioned")):
        if _python.PyCapsule_IsValid(capsule, name):
            handle = call(function, _python.PyCapsule_GetPointer(capsule, name), flags)
            _python.PyCapsule_SetName(capsule, _USED[name.value])
            return handle
    raise TypeError(f"{type(value).__name__}.__dlpack__ gave no capsule that is still full")
