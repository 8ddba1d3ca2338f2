#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensors to NumPy and back by DLPack, over one memory, with NumPy as the other library.

    dlpack.py LIBORIBI
"""
import ctypes
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: there is no numpy")
    sys.exit(77)

oribi = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi
FLOAT, DOUBLE, INT32, UINT8, INT16, INT8, COMPLEX64, INT64, BOOL, UINT16, COMPLEX128, HALF, UINT32, UINT64 = (
    1, 2, 3, 4, 5, 6, 8, 9, 10, 17, 18, 19, 22, 23)
TYPES = {"f4": FLOAT, "f8": DOUBLE, "i4": INT32, "u1": UINT8, "i2": INT16, "i1": INT8, "c8": COMPLEX64, "i8": INT64,
         "?": BOOL, "u2": UINT16, "c16": COMPLEX128, "f2": HALF, "u4": UINT32, "u8": UINT64}
READ_ONLY, MAY_COPY = 2, 4
VERSIONED = int(np.__version__.split(".")[0]) * 100 + int(np.__version__.split(".")[1]) >= 201
SUFFIX, CAPSULE = ("", b"dltensor_versioned") if VERSIONED else ("Unversioned", b"dltensor")

for name, result in (("TF_NewStatus", ctypes.c_void_p), ("TF_AllocateTensor", ctypes.c_void_p), ("TF_TensorData", ctypes.c_void_p),
                     ("TF_Message", ctypes.c_char_p), (f"TF_TensorToDLPack{SUFFIX}", ctypes.c_void_p),
                     (f"TF_TensorFromDLPack{SUFFIX}", ctypes.c_void_p), ("TF_Dim", ctypes.c_int64)):
    getattr(oribi, name).restype = result
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = ctypes.create_string_buffer(b"used_" + CAPSULE)
NAME = ctypes.create_string_buffer(CAPSULE)
status = ctypes.c_void_p(oribi.TF_NewStatus())


class Lent:
    """What NumPy asks for: a tensor of ours as a capsule."""

    def __init__(self, tensor, flags):
        self.tensor, self.flags = tensor, flags

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        managed = getattr(oribi, f"TF_TensorToDLPack{SUFFIX}")(ctypes.c_void_p(self.tensor), ctypes.c_uint(self.flags), status)
        assert managed, oribi.TF_Message(status)
        return python.PyCapsule_New(managed, ctypes.cast(NAME, ctypes.c_char_p), None)


def take(array, flags=0):
    capsule = array.__dlpack__(max_version=(1, 1)) if VERSIONED else array.__dlpack__()
    managed = python.PyCapsule_GetPointer(capsule, CAPSULE)
    tensor = getattr(oribi, f"TF_TensorFromDLPack{SUFFIX}")(ctypes.c_void_p(managed), ctypes.c_uint(flags), status)
    if tensor:
        python.PyCapsule_SetName(capsule, ctypes.cast(USED, ctypes.c_char_p))
    return tensor


def aligned(shape, dtype):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start:start + size].view(dtype).reshape(shape)


def main():
    dims = (ctypes.c_int64 * 2)(2, 3)
    for dtype, number in TYPES.items():
        tensor = oribi.TF_AllocateTensor(number, dims, 2, ctypes.c_size_t(6 * np.dtype(dtype).itemsize))
        array = np.from_dlpack(Lent(tensor, READ_ONLY if VERSIONED else 0))
        assert array.shape == (2, 3) and array.dtype == np.dtype(dtype), dtype
        assert array.ctypes.data == oribi.TF_TensorData(ctypes.c_void_p(tensor)), dtype
        assert not VERSIONED or not array.flags.writeable
        oribi.TF_DeleteTensor(ctypes.c_void_p(tensor))  # the array keeps the memory
        assert array.sum() is not None

        mine = aligned((4, 2), dtype)
        before = sys.getrefcount(mine)
        tensor = take(mine)
        assert tensor, oribi.TF_Message(status)
        assert oribi.TF_TensorType(ctypes.c_void_p(tensor)) == number and oribi.TF_Dim(ctypes.c_void_p(tensor), 0) == 4
        assert oribi.TF_TensorData(ctypes.c_void_p(tensor)) == mine.ctypes.data, dtype
        assert sys.getrefcount(mine) > before  # held
        oribi.TF_DeleteTensor(ctypes.c_void_p(tensor))
        assert sys.getrefcount(mine) == before, dtype  # and let go

    turned = aligned((3, 5), "f4")
    turned[:] = np.arange(15).reshape(3, 5)
    assert not take(turned.T) and b"dense" in oribi.TF_Message(status)
    tensor = take(turned.T[::-1], MAY_COPY)
    copy = np.from_dlpack(Lent(tensor, 0))
    assert (copy == turned.T[::-1]).all()
    oribi.TF_DeleteTensor(ctypes.c_void_p(tensor))
    print(f"{len(TYPES)} types both ways with NumPy {np.__version__}, {'versioned' if VERSIONED else 'unversioned'}")


main()
