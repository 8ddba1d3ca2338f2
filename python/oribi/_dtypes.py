# SPDX-License-Identifier: Apache-2.0
"""Which element types are there, and what are they in NumPy, in the buffer protocol, in DLPack, in ml_dtypes?"""
import ctypes
import sys

STRING, LIST = 7, 21


class DType:
    """An element type: `name` is NumPy's word, `number` the contract's, `size` the bytes of an element in memory."""

    __slots__ = ("name", "number", "size", "ctype", "is_small", "_numpy")

    def __init__(self, name, number, ctype, is_small=False):
        self.name, self.number, self.ctype, self.is_small = name, number, ctype, is_small
        self.size = ctypes.sizeof(ctype) if ctype is not None else 24
        self._numpy = None

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return find, (self.name,)

    @property
    def numpy(self):
        """NumPy's dtype; of bf16, fp8 and int4 that of ml_dtypes. None where neither has it."""
        if self._numpy is None:
            numpy = get_numpy()
            if self.is_small:
                module = _get_ml_dtypes()
                scalar = getattr(module, self.name, None) if module is not None else None
                self._numpy = numpy.dtype(scalar) if scalar is not None else None
            elif self.number == STRING:
                self._numpy = numpy.dtype(object)
            else:
                self._numpy = numpy.dtype(self.name)
        return self._numpy


class _Pair(ctypes.Structure):
    _fields_ = [("real", ctypes.c_float), ("imag", ctypes.c_float)]


class _DoublePair(ctypes.Structure):
    _fields_ = [("real", ctypes.c_double), ("imag", ctypes.c_double)]


_c = ctypes
TYPES = [DType(*row) for row in (
    ("float32", 1, _c.c_float), ("float64", 2, _c.c_double), ("int32", 3, _c.c_int32), ("uint8", 4, _c.c_uint8),
    ("int16", 5, _c.c_int16), ("int8", 6, _c.c_int8), ("string", STRING, None), ("complex64", 8, _Pair),
    ("int64", 9, _c.c_int64), ("bool", 10, _c.c_bool), ("uint16", 17, _c.c_uint16), ("complex128", 18, _DoublePair),
    ("float16", 19, _c.c_uint16), ("uint32", 22, _c.c_uint32), ("uint64", 23, _c.c_uint64),
    ("bfloat16", 14, _c.c_uint16, True), ("float8_e5m2", 24, _c.c_uint8, True), ("float8_e4m3fn", 25, _c.c_uint8, True),
    ("float8_e4m3fnuz", 26, _c.c_uint8, True), ("float8_e4m3b11fnuz", 27, _c.c_uint8, True),
    ("float8_e5m2fnuz", 28, _c.c_uint8, True), ("int4", 29, _c.c_int8, True), ("uint4", 30, _c.c_uint8, True),
    ("int2", 31, _c.c_int8, True), ("uint2", 32, _c.c_uint8, True), ("float4_e2m1fn", 33, _c.c_uint8, True))]
BY_NUMBER = {t.number: t for t in TYPES}
BY_NAME = {t.name: t for t in TYPES}
# ONNX's sequences and optionals: a tensor of tensors, which is a list here; `find` does not know it.
BY_NUMBER[LIST] = DType("list", LIST, ctypes.c_void_p)
# qint8 and its kin are integers whose scale is said elsewhere.
for _quantised, _plain in ((11, "int8"), (12, "uint8"), (13, "int32"), (15, "int16"), (16, "uint16")):
    BY_NUMBER[_quantised] = BY_NAME[_plain]
_LETTERS = {"f": {2: "float16", 4: "float32", 8: "float64"}, "i": {1: "int8", 2: "int16", 4: "int32", 8: "int64"},
            "u": {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}, "b": {1: "bool"},
            "c": {8: "complex64", 16: "complex128"}, "O": {8: "string"}}
# The buffer protocol's letters: kind only, the size is that of the item.
_FORMATS = {"e": "f", "f": "f", "d": "f", "b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "n": "i", "B": "u", "H": "u",
            "I": "u", "L": "u", "Q": "u", "N": "u", "?": "b", "c": "u"}


def find(name):
    """The type of a name, a NumPy dtype or a number of the contract."""
    found = BY_NAME.get(name) if isinstance(name, str) else BY_NUMBER.get(name) if isinstance(name, int) else None
    if found is None and hasattr(name, "kind"):
        found = of_numpy(name)
    if found is None:
        found = BY_NAME.get(getattr(name, "name", getattr(name, "__name__", None)))
    if found is None:
        raise TypeError(f"no element type is {name!r}; there are {', '.join(BY_NAME)}")
    return found


def of_numpy(dtype):
    """The type of a NumPy dtype, or None."""
    if dtype.kind in "US":
        return BY_NAME["string"]
    found = BY_NAME.get(dtype.name) if dtype.kind not in _LETTERS or dtype.kind == "V" else None
    return found or BY_NAME.get(_LETTERS.get(dtype.kind, {}).get(dtype.itemsize)) or BY_NAME.get(dtype.name)


def of_format(text, size):
    """The type of a format of the buffer protocol in this machine's byte order, or None."""
    order, letter = (text[0], text[1:]) if text[:1] in tuple("@=<>!") else ("@", text)
    native = order in "@=" or order == ("<" if sys.byteorder == "little" else ">") or size == 1
    kind = {"Zf": "c", "Zd": "c"}.get(letter) or _FORMATS.get(letter)
    return BY_NAME.get(_LETTERS.get(kind, {}).get(size)) if native and kind else None


_numpy = False
_ml_dtypes = False


def get_numpy():
    """NumPy, or None; imported when first asked for, never by `import oribi`."""
    global _numpy
    if _numpy is False:
        try:
            import numpy
        except ImportError:
            numpy = None
        _numpy = numpy
    return _numpy


def _get_ml_dtypes():
    global _ml_dtypes
    if _ml_dtypes is False:
        try:
            import ml_dtypes
        except ImportError:
            ml_dtypes = None
        _ml_dtypes = ml_dtypes
    return _ml_dtypes
