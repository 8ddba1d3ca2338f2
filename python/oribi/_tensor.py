# SPDX-License-Identifier: Apache-2.0
"""How does memory of Python's objects become a tensor of the library, and a tensor's memory an object of Python?

In: NumPy's arrays, whatever has the buffer protocol or `__dlpack__`, lists. Memory that is dense and begins at a multiple
of 64 bytes is used where it is; the rest is copied. Out: NumPy's arrays over the tensor's memory, or `Tensor`.
"""
import ctypes
import itertools

from . import _dtypes
from ._dtypes import BY_NAME, BY_NUMBER, LIST, STRING
from ._lib import DEALLOCATOR, call, lib

ALIGNMENT = 64
_MAY_COPY = 4

# --- Memory that is lent to the library -----------------------------------------------------------
_lent = {}
_numbers = itertools.count(1)


@DEALLOCATOR
def _give_back(_data, _bytes, number):
    _lent.pop(number, None)


def _dims(shape):
    return (ctypes.c_int64 * len(shape))(*shape)


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def allocate(dtype, shape):
    """A tensor of the library's own memory: its handle."""
    handle = lib.TF_AllocateTensor(dtype.number, _dims(shape), len(shape), count(shape) * dtype.size)
    if not handle:
        raise MemoryError(f"no memory for a tensor of shape {tuple(shape)} and type {dtype}")
    return handle


def borrow(dtype, shape, address, owner):
    """A tensor over memory that `owner` keeps alive, copied where it is not aligned: its handle."""
    size = count(shape) * dtype.size
    if address % ALIGNMENT or not size:
        handle = allocate(dtype, shape)
        ctypes.memmove(lib.TF_TensorData(handle), address, size)
        return handle
    number = next(_numbers)
    _lent[number] = owner
    handle = lib.TF_NewTensor(dtype.number, _dims(shape), len(shape), address, size, _give_back, number)
    if not handle:
        raise MemoryError("no memory for a tensor's handle")
    return handle


# --- Tensor ---------------------------------------------------------------------------------------
class Tensor:
    """A dense array in the library's memory: `dtype`, `shape`, the buffer protocol, `__dlpack__`, `tolist()`.

    It is what a run gives where NumPy is not installed, and a way to make inputs that are never copied:

    >>> t = oribi.tensor([[1, 2], [3, 4]], dtype="float32")
    >>> t.shape, t.dtype, memoryview(t).nbytes
    ((2, 2), float32, 16)
    """

    __slots__ = ()

    def __repr__(self):
        return f"oribi.Tensor({self.tolist()!r}, dtype={self.dtype.name!r})"

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor without axes has no length")
        return self.shape[0]

    def __iter__(self):
        return iter(self.tolist())

    def __del__(self):
        handle = self.__dict__.pop("handle", None)
        if handle and lib is not None:
            lib.TF_DeleteTensor(handle)

    def __reduce__(self):
        value = self.tolist() if self.dtype.number == STRING else bytes(memoryview(self))
        return _rebuild, (value, self.dtype.name, self.shape)

    def numpy(self):
        """NumPy's array over the same memory."""
        return to_numpy(self.handle, self, self.dtype, self.shape)

    def tolist(self):
        """The elements as nested lists; of bf16, fp8 and int4 the stored bits."""
        if self.dtype.number == STRING:
            return _nest(read_strings(self.handle, count(self.shape)), self.shape)
        flat = (self.dtype.ctype * count(self.shape)).from_address(lib.TF_TensorData(self.handle) or 0)
        if self.dtype.name == "float16":
            import struct

            values = list(struct.unpack(f"={len(flat)}e", bytes(flat)))
        elif self.dtype.name.startswith("complex"):
            values = [complex(v.real, v.imag) for v in flat]
        else:
            values = list(flat)
        return _nest(values, self.shape)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        from ._dlpack import lend

        return lend(self.handle, max_version, copy)


def _nest(flat, shape):
    if not shape:
        return flat[0]
    for size in reversed(shape[1:]):
        flat = [flat[i:i + size] for i in range(0, len(flat), size)] if size else []
        if not size:
            return [[] for _ in range(shape[0])] if len(shape) == 2 else []
    return flat


_classes = {}


def _class_of(dtype, shape):
    """A ctypes array of the shape that is a Tensor: before Python 3.12 only such have the buffer protocol."""
    key = dtype.name, shape
    made = _classes.get(key)
    if made is None:
        element = dtype.ctype or ctypes.c_char * dtype.size
        for size in reversed(shape[1:]):
            element = element * size
        if shape:
            base, fields = element * shape[0], {"_type_": element, "_length_": shape[0]}
        else:
            base, fields = element, {}
        same = {n: Tensor.__dict__[n] for n in ("__repr__", "__len__", "__iter__", "__del__", "__reduce__")}
        if len(_classes) >= 256:
            _classes.clear()
        made = _classes[key] = type("Tensor", (Tensor, base), {**fields, **same, "__module__": "oribi"})
    return made


_empty = ctypes.create_string_buffer(ALIGNMENT)


def wrap(handle, dtype=None, shape=None):
    """Tensor over a handle, which it takes."""
    if dtype is None:
        dtype = BY_NUMBER[lib.TF_TensorType(handle)]
    if shape is None:
        shape = shape_of(handle)
    made = _class_of(dtype, shape).from_address(lib.TF_TensorData(handle) or ctypes.addressof(_empty))
    made.__dict__.update(handle=handle, dtype=dtype, shape=shape)
    return made


def shape_of(handle):
    dim = lib.TF_Dim
    return tuple([dim(handle, i) for i in range(lib.TF_NumDims(handle))])


def empty(shape, dtype="float32"):
    """A tensor whose elements are whatever the memory has, aligned so that no run copies it.

    >>> oribi.empty((2, 3)).shape
    (2, 3)
    """
    dtype = _dtypes.find(dtype)
    shape = tuple(int(size) for size in ((shape,) if isinstance(shape, int) else shape))
    return wrap(make_strings([b""] * count(shape), shape) if dtype.number == STRING else allocate(dtype, shape), dtype, shape)


def tensor(value, dtype=None, shape=None):
    """A tensor of anything: an array, a buffer, lists, a number, text. With `dtype` and `shape` a buffer is read as raw bytes,
    which is how bf16 comes in without ml_dtypes.

    >>> oribi.tensor(b"\\x80\\x3f\\x00\\x40", dtype="bfloat16", shape=(2,)).shape
    (2,)
    >>> oribi.tensor(["a", "b"]).tolist()
    ['a', 'b']
    """
    dtype = _dtypes.find(dtype) if dtype is not None else None
    if shape is not None:
        return _raw(value, dtype, tuple(shape))
    if isinstance(value, Tensor):
        return value
    return wrap(handle_of(value, dtype))


def _raw(value, dtype, shape):
    if dtype is None or dtype.number == STRING:
        raise TypeError("raw bytes have a shape and a dtype that is not 'string'")
    view = memoryview(value).cast("B")
    if view.nbytes != count(shape) * dtype.size:
        raise ValueError(f"{view.nbytes} bytes are not a tensor of shape {shape} and type {dtype}")
    handle = allocate(dtype, shape)
    ctypes.memmove(lib.TF_TensorData(handle), bytes(view), view.nbytes)
    return wrap(handle, dtype, shape)


def _rebuild(value, dtype, shape):
    if dtype == "string":
        return wrap(make_strings(_flatten(value), shape), BY_NAME[dtype], shape)
    return _raw(value, BY_NAME[dtype], shape)


# --- In -------------------------------------------------------------------------------------------
def handle_of(value, dtype=None, name="the value"):
    """A new handle on a tensor of the value; `dtype` is what lists and numbers become."""
    if dtype is not None and dtype.number == LIST:
        return _make_list(value, name)
    numpy = _dtypes.get_numpy()
    if numpy is not None:
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return _from_numpy(numpy, value, name)
        if not isinstance(value, (bytes, bytearray, memoryview)) and not hasattr(value, "__dlpack__") and \
                hasattr(value, "__array__"):
            return _from_numpy(numpy, numpy.asarray(value), name)
    if hasattr(value, "__dlpack__"):
        from ._dlpack import take

        return take(value, _MAY_COPY)
    if not isinstance(value, (str, bytes, list, tuple, int, float, complex)):
        try:
            view = memoryview(value)
        except TypeError:
            raise TypeError(f"{name}: {type(value).__name__} is no array, buffer, DLPack tensor or list") from None
        return _from_buffer(view, name)
    if numpy is not None and (dtype is None or dtype.number != STRING) and not _has_text(value):
        return _from_numpy(numpy, _array_of(numpy, value, dtype, name), name)
    return _from_lists(value, dtype, name)


def _array_of(numpy, value, dtype, name):
    """Of lists and numbers. NumPy before 2 wraps whole numbers that do not fit, every NumPy drops what stands behind the
    point."""
    array = numpy.asarray(value)
    wanted = numpy.dtype(dtype.numpy) if dtype is not None else array.dtype
    if array.dtype == wanted:
        return array
    with numpy.errstate(invalid="ignore"):
        converted = array.astype(wanted)
    if wanted.kind in "iub" and (converted != array).any():
        raise ValueError(f"{name}: not every number fits into {dtype}")
    return converted


def _from_numpy(numpy, array, name):
    dtype = _dtypes.of_numpy(array.dtype)
    if dtype is None:
        raise TypeError(f"{name}: no element type is NumPy's {array.dtype}")
    if dtype.number == STRING:
        return make_strings(array.reshape(-1).tolist(), array.shape)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous or isinstance(array, numpy.generic):
        shape = array.shape  # ascontiguousarray makes a vector of what has no axes
        array = numpy.ascontiguousarray(array).reshape(shape)
    return borrow(dtype, array.shape, array.__array_interface__["data"][0], array)


def _from_buffer(view, name):
    dtype = _dtypes.of_format(view.format, view.itemsize)
    if dtype is None:
        raise TypeError(f"{name}: no element type is the buffer format {view.format!r}; "
                        "oribi.tensor(buffer, dtype=..., shape=...) reads raw bytes")
    shape = view.shape
    if not view.c_contiguous:
        view = memoryview(view.tobytes())
    if view.readonly or not view.nbytes:  # ctypes gives addresses of buffers that can be written
        handle = allocate(dtype, shape)
        ctypes.memmove(lib.TF_TensorData(handle), view.tobytes(), view.nbytes)
        return handle
    held = (ctypes.c_char * view.nbytes).from_buffer(view)
    return borrow(dtype, shape, ctypes.addressof(held), held)


def _has_text(value):
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (str, bytes))


def _shape_of_lists(value):
    shape = []
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape), value


def _flatten(value):
    if not isinstance(value, (list, tuple)):
        return [value]
    flat = []
    for item in value:
        flat += _flatten(item)
    return flat


def _from_lists(value, dtype, name):
    shape, first = _shape_of_lists(value)
    flat = _flatten(value)
    if len(flat) != count(shape):
        raise ValueError(f"{name}: the lists are not all of one length; the first ones give shape {shape}, "
                         f"which {len(flat)} elements do not fill")
    if dtype is None:
        dtype = BY_NAME["string" if isinstance(first, (str, bytes)) else "bool" if isinstance(first, bool) else
                        "int64" if flat and all(isinstance(v, int) for v in flat) else
                        "complex128" if isinstance(first, complex) else "float64"]
    if dtype.number == STRING:
        return make_strings(flat, shape)
    if dtype.is_small or dtype.name.startswith("complex"):
        raise TypeError(f"{name}: lists become {dtype} with NumPy (and ml_dtypes) only")
    handle = allocate(dtype, shape)
    address = lib.TF_TensorData(handle)
    if dtype.name == "float16":
        import struct

        packed = struct.pack(f"={len(flat)}e", *flat)
        ctypes.memmove(address, packed, len(packed))
    elif flat:
        _fill(address, dtype, flat, name)
    return handle


_LIMITS = {"int8": (-128, 127), "int16": (-2 ** 15, 2 ** 15 - 1), "int32": (-2 ** 31, 2 ** 31 - 1),
           "int64": (-2 ** 63, 2 ** 63 - 1), "uint8": (0, 255), "uint16": (0, 2 ** 16 - 1), "uint32": (0, 2 ** 32 - 1),
           "uint64": (0, 2 ** 64 - 1)}


def _fill(address, dtype, flat, name):
    least, most = _LIMITS.get(dtype.name, (None, None))
    if least is not None:
        for value in flat:
            if not least <= value <= most:  # ctypes would wrap it
                raise ValueError(f"{name}: {value} is no {dtype}")
    (dtype.ctype * len(flat)).from_address(address)[:] = flat


# --- Strings --------------------------------------------------------------------------------------
def make_strings(flat, shape):
    """A handle on a tensor of strings; text is UTF-8."""
    handle = allocate(BY_NUMBER[STRING], shape)
    address = lib.TF_TensorData(handle)
    for i in range(len(flat)):
        lib.TF_StringInit(address + 24 * i)
    for i, item in enumerate(flat):
        data = item if isinstance(item, bytes) else str(item).encode("utf-8", "surrogateescape")
        lib.TF_StringCopy(address + 24 * i, data, len(data))
    return handle


def read_strings(handle, n):
    """The elements as str; bytes that are not UTF-8 become lone surrogates, and go back as they were."""
    address = lib.TF_TensorData(handle)
    return [ctypes.string_at(lib.TF_StringGetDataPointer(address + 24 * i), lib.TF_StringGetSize(address + 24 * i))
            .decode("utf-8", "surrogateescape") for i in range(n)]


# --- Lists ----------------------------------------------------------------------------------------
def _make_list(value, name):
    """A sequence of a list's or tuple's elements, an optional of anything else, None for one without a value."""
    is_sequence = isinstance(value, (list, tuple))
    items = value if is_sequence else [] if value is None else [value]
    handle = allocate(BY_NUMBER[LIST], (len(items),) if is_sequence else ())
    try:
        for i, item in enumerate(items):
            element = item.handle if isinstance(item, Tensor) else handle_of(item, None, f"{name}, element {i}")
            try:
                call("TF_TensorSetVariantTensor", handle, i, element)
            finally:
                if not isinstance(item, Tensor):
                    lib.TF_DeleteTensor(element)
    except BaseException:
        lib.TF_DeleteTensor(handle)
        raise
    return handle


def _take_list(handle, shape):
    """The list of a sequence's elements; of an optional its value, or None. Takes the handle."""
    def element(i):
        if not ctypes.c_void_p.from_address(lib.TF_TensorData(handle) + 8 * i).value:
            return None
        found = call("TF_TensorVariantTensor", handle, i)
        return result(found, BY_NUMBER[lib.TF_TensorType(found)], shape_of(found))
    try:
        return [element(i) for i in range(shape[0])] if shape else element(0)
    finally:
        lib.TF_DeleteTensor(handle)


# --- Out ------------------------------------------------------------------------------------------
class _Held:
    """What NumPy asks for memory; the array's base, which keeps the tensor."""

    __slots__ = ("handle", "__array_interface__")

    def __init__(self, handle, interface):
        self.handle, self.__array_interface__ = handle, interface

    def __del__(self, delete=lib.TF_DeleteTensor):
        delete(self.handle)


class _Kept:
    """The same for a Tensor, which keeps its handle itself."""

    __slots__ = ("tensor", "__array_interface__")

    def __init__(self, tensor, interface):
        self.tensor, self.__array_interface__ = tensor, interface


def to_numpy(handle, keeper, dtype, shape):
    """NumPy's array over the tensor's memory; keeper None: it takes the handle."""
    numpy = _dtypes.get_numpy()
    if numpy is None:
        raise ImportError("NumPy is not installed; memoryview(tensor), tensor.tolist() and DLPack work without")
    wanted = dtype.numpy
    if wanted is None:
        raise TypeError(f"NumPy has {dtype} with ml_dtypes only, which is not installed")
    if dtype.number == STRING:
        array = numpy.empty(shape, object)
        array.reshape(-1)[:] = read_strings(handle, count(shape))
        if keeper is None:
            lib.TF_DeleteTensor(handle)
        return array
    interface = {"shape": shape, "typestr": wanted.str if not dtype.is_small else f"|V{dtype.size}", "version": 3,
                 "data": (lib.TF_TensorData(handle) or ctypes.addressof(_empty), False)}
    array = numpy.asarray(_Held(handle, interface) if keeper is None else _Kept(keeper, interface))
    return array if not dtype.is_small else array.view(wanted)


def result(handle, dtype, shape):
    """What a run gives for an output: NumPy's array where NumPy has the type, else a Tensor. Takes the handle."""
    if dtype.number == LIST:
        return _take_list(handle, shape)
    if _dtypes.get_numpy() is not None and dtype.numpy is not None:
        return to_numpy(handle, None, dtype, shape)
    return wrap(handle, dtype, shape)
