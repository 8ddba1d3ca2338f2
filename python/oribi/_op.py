# SPDX-License-Identifier: Apache-2.0
"""What does an op in Python look like? `@oribi.op`: a function as a kernel, for prototypes; it is registered by the plugin
contract's own functions (include/tensorflow/c/ops.h, kernels.h), in this process.

The library calls it with the interpreter's lock, one call at a time: write the op in C when it has to be fast.
"""
import ctypes
import inspect
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p

from . import _dtypes, _tensor
from ._dtypes import BY_NUMBER
from ._errors import Error, InvalidArgument
from ._lib import S, P, call, inner_status, lib, text

_CREATE = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_COMPUTE = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
_DELETE = ctypes.CFUNCTYPE(None, c_void_p)
_SHAPE = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


class _View(ctypes.Structure):
    _fields_ = [("data", c_char_p), ("len", c_size_t)]


_GET, _GET_SHAPE = "TF_OpKernelConstruction_GetAttr", "TF_ShapeInferenceContext_GetAttr"
for _name, (_result, *_arguments) in {
        "TF_NewOpDefinitionBuilder": (P, S), "TF_RegisterOpDefinition": (None, P, P),
        "TF_OpDefinitionBuilderAddAttr": (None, P, S), "TF_OpDefinitionBuilderAddInput": (None, P, S),
        "TF_OpDefinitionBuilderAddOutput": (None, P, S), "TF_OpDefinitionBuilderSetIsStateful": (None, P, c_bool),
        "TF_OpDefinitionBuilderSetShapeInferenceFunction": (None, P, _SHAPE),
        "TF_NewKernelBuilder": (P, S, S, _CREATE, _COMPUTE, _DELETE), "TF_RegisterKernelBuilder": (None, S, P, P),
        "TF_KernelBuilder_Priority": (None, P, c_int32),
        "TF_NumInputs": (c_int, P), "TF_NumOutputs": (c_int, P), "TF_GetInput": (None, P, c_int, POINTER(P), P),
        "TF_ExpectedOutputDataType": (c_int, P, c_int), "TF_SetOutput": (None, P, c_int, P, P),
        "TF_OpKernelContext_Failure": (None, P, P), "TF_OpKernelConstruction_Failure": (None, P, P),
        "TF_ShapeInferenceContextNumInputs": (c_int64, P), "TF_NewShapeHandle": (P,), "TF_DeleteShapeHandle": (None, P),
        "TF_ShapeInferenceContextGetInput": (None, P, c_int, P, P), "TF_ShapeInferenceContextRank": (c_int64, P, P),
        "TF_NewDimensionHandle": (P,), "TF_DeleteDimensionHandle": (None, P), "TF_DimensionHandleValue": (c_int64, P),
        "TF_ShapeInferenceContextDim": (None, P, P, c_int64, P), "TF_ShapeInferenceContextSetOutput": (None, P, c_int, P, P),
        "TF_ShapeInferenceContextScalar": (P, P), "TF_ShapeInferenceContextVectorFromSize": (P, P, c_size_t),
        "TF_ShapeInferenceContextConcatenateShapes": (None, P, P, P, P, P),
        "TF_ShapeInferenceContextSetUnknownShape": (None, P, P)}.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

for _name, _arguments in {"Size": (POINTER(c_int32), POINTER(c_int32)), "Int64": (POINTER(c_int64),), "Float": (POINTER(c_float),),
                          "Bool": (POINTER(ctypes.c_ubyte),), "Type": (POINTER(c_int),), "String": (c_char_p, c_size_t),
                          "Tensor": (POINTER(P),), "Int64List": (POINTER(c_int64), c_int),
                          "FloatList": (POINTER(c_float), c_int)}.items():
    for _prefix in (_GET, _GET_SHAPE):
        _function = getattr(lib, _prefix + _name)
        _function.restype, _function.argtypes = None, (P, S, *_arguments, P)

_kept = []  # callbacks live as long as the process: an op is never taken back
_attributes = {}  # of kernels that are alive, by number
_next = [1]


# --- Attributes -----------------------------------------------------------------------------------
# Each reads an attribute by the functions of a prefix: those of kernels or those of shape functions.
def _read(name, c_type):
    def read(prefix, ctx, attr, _n, _size):
        value = c_type()
        call(prefix + name, ctx, attr, ctypes.byref(value))
        return value.value
    return read


def _read_list(name, c_type):
    def read(prefix, ctx, attr, n, _size):
        values = (c_type * max(n, 1))()
        call(prefix + name, ctx, attr, values, n)
        return list(values[:max(n, 0)])
    return read


def _read_string(prefix, ctx, attr, _n, size):
    room = ctypes.create_string_buffer(max(size, 0) + 1)
    call(prefix + "String", ctx, attr, room, max(size, 0))
    return room.raw[:max(size, 0)].decode("utf-8", "surrogateescape")


_READERS = {"int": _read("Int64", c_int64), "float": _read("Float", c_float),
            "bool": lambda *a: bool(_read("Bool", ctypes.c_ubyte)(*a)), "string": _read_string,
            "type": lambda *a: BY_NUMBER[_read("Type", c_int)(*a)],
            "tensor": lambda *a: _take_handle(_read("Tensor", c_void_p)(*a)),
            "list(int)": _read_list("Int64List", c_int64), "list(float)": _read_list("FloatList", c_float)}


def _kind_of(spec):
    """"axis: int = 1" gives ("axis", "int"); what is constrained to a set of types is a type."""
    name, _, rest = spec.partition(":")
    kind = rest.split("=")[0].split(">")[0].strip()
    return name.strip(), "type" if kind.startswith("{") else kind


def _read_attributes(prefix, ctx, kinds):
    values = {}
    for name, kind in kinds:
        attr, n, size = text(name), c_int32(), c_int32()
        call(prefix + "Size", ctx, attr, ctypes.byref(n), ctypes.byref(size))
        values[name] = _READERS[kind](prefix, ctx, attr, n.value, size.value)
    return values


def _asked(function, kinds):
    """The attributes that a function has parameters for; all with **attributes."""
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return [(name, kind) for name, kind in kinds if takes_all or name in parameters]


# --- Tensors --------------------------------------------------------------------------------------
def _take_handle(handle):
    dtype = BY_NUMBER[lib.TF_TensorType(handle)]
    return _tensor.result(handle, dtype, _tensor.shape_of(handle))


def _inputs(ctx):
    arrays = []
    for i in range(lib.TF_NumInputs(ctx)):
        handle = c_void_p()
        call("TF_GetInput", ctx, i, ctypes.byref(handle))
        arrays.append(_take_copy(handle.value))
    return arrays


def _take_copy(handle):
    """A kernel's function may keep its arguments, and the run's memory is used again: they are copies."""
    dtype, shape = BY_NUMBER[lib.TF_TensorType(handle)], _tensor.shape_of(handle)
    try:
        if dtype.number == _dtypes.STRING:
            copy = _tensor.make_strings(_tensor.read_strings(handle, _tensor.count(shape)), shape)
        else:
            copy = _tensor.allocate(dtype, shape)
            ctypes.memmove(lib.TF_TensorData(copy), lib.TF_TensorData(handle), _tensor.count(shape) * dtype.size)
    finally:
        lib.TF_DeleteTensor(handle)
    return _tensor.result(copy, dtype, shape)


def _set_outputs(ctx, results, name):
    results = results if isinstance(results, (tuple, list)) and lib.TF_NumOutputs(ctx) != 1 else (results,)
    if len(results) != lib.TF_NumOutputs(ctx):
        raise InvalidArgument(f"{name} gave {len(results)} results for {lib.TF_NumOutputs(ctx)} outputs")
    for i, value in enumerate(results):
        dtype = BY_NUMBER[lib.TF_ExpectedOutputDataType(ctx, i)]
        numpy = _dtypes.get_numpy()
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and dtype.numpy is not None:
            value = numpy.asarray(value, dtype.numpy)
        handle = value.handle if isinstance(value, _tensor.Tensor) else _tensor.handle_of(value, dtype, f"result {i} of {name}")
        try:
            call("TF_SetOutput", ctx, i, handle)
        finally:
            if not isinstance(value, _tensor.Tensor):
                lib.TF_DeleteTensor(handle)


def _fail(function, ctx, error):
    handle = lib.TF_NewStatus()
    lib.TF_SetStatus(handle, error.code if isinstance(error, Error) else 13,
                     f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
    function(ctx, handle)
    lib.TF_DeleteStatus(handle)


# --- Shapes ---------------------------------------------------------------------------------------
def _shape_in(ctx, i):
    shape, dim = lib.TF_NewShapeHandle(), lib.TF_NewDimensionHandle()
    try:
        call("TF_ShapeInferenceContextGetInput", ctx, i, shape)
        rank = lib.TF_ShapeInferenceContextRank(ctx, shape)
        if rank < 0:
            return None
        sizes = []
        for k in range(rank):
            lib.TF_ShapeInferenceContextDim(ctx, shape, k, dim)
            size = lib.TF_DimensionHandleValue(dim)
            sizes.append(None if size < 0 else size)
        return tuple(sizes)
    finally:
        lib.TF_DeleteDimensionHandle(dim)
        lib.TF_DeleteShapeHandle(shape)


def _shape_out(ctx, i, sizes):
    whole = lib.TF_ShapeInferenceContextScalar(ctx)
    try:
        for size in sizes:
            # An unknown size is that of a vector of SIZE_MAX, which is how the contract's -1 looks there.
            part = lib.TF_ShapeInferenceContextVectorFromSize(ctx, ctypes.c_size_t(-1 if size is None else size))
            call("TF_ShapeInferenceContextConcatenateShapes", ctx, whole, part, whole)
            lib.TF_DeleteShapeHandle(part)
        call("TF_ShapeInferenceContextSetOutput", ctx, i, whole)
    finally:
        lib.TF_DeleteShapeHandle(whole)


def _make_shape_function(function, n_outputs, kinds):
    asked = _asked(function, kinds)

    @_SHAPE
    def infer(ctx, status):
        with inner_status():
            infer_inside(ctx, status)

    def infer_inside(ctx, status):
        try:
            shapes = [_shape_in(ctx, i) for i in range(lib.TF_ShapeInferenceContextNumInputs(ctx))]
            results = function(*shapes, **_read_attributes(_GET_SHAPE, ctx, asked))
            results = list(results) if n_outputs != 1 else [results]
            if len(results) != n_outputs:
                raise InvalidArgument(f"the shape function gave {len(results)} shapes for {n_outputs} outputs")
            if any(r is None for r in results):
                lib.TF_ShapeInferenceContextSetUnknownShape(ctx, status)
                return
            for i, sizes in enumerate(results):
                _shape_out(ctx, i, sizes)
        except Exception as error:  # must not go through C
            lib.TF_SetStatus(status, error.code if isinstance(error, Error) else 3,
                             f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
    return infer


# --- The decorator --------------------------------------------------------------------------------
def op(name, inputs, outputs, attrs=(), *, shape=None, device="CPU", is_stateful=False):
    """Registers an op and its kernel: the function gets arrays, and attributes by name, and gives the results.

    `inputs`, `outputs` and `attrs` are specs of the contract ("x: T", "T: {float, double}", "axis: int = 1"); `shape` gets the
    shapes of the inputs, as tuples with None for what is unknown, and gives that of the output, or of each. An ONNX node
    `Twice` of the domain `com.me` is the op "Com>Me>Twice".

    >>> @oribi.op("Doc>Twice", ["x: float"], ["y: float"], shape=lambda x: x)
    ... def twice(x):
    ...     return x + x
    >>> oribi.describe("op:Doc>Twice")["name"]
    'Doc>Twice'
    """
    inputs, outputs, attrs = ([s] if isinstance(s, str) else list(s) for s in (inputs, outputs, attrs))
    kinds = [_kind_of(spec) for spec in attrs]
    for attr, kind in kinds:
        if kind not in _READERS:
            raise TypeError(f"attribute '{attr}' is {kind!r}; an op in Python has attributes of {', '.join(_READERS)}")

    def register(function):
        asked = _asked(function, kinds)

        @_CREATE
        def create(ctx):
            with inner_status():
                try:
                    values = _read_attributes(_GET, ctx, asked)
                except Exception as error:
                    _fail(lib.TF_OpKernelConstruction_Failure, ctx, error)
                    return None
            number = _next[0]
            _next[0] += 1
            _attributes[number] = values
            return number

        @_COMPUTE
        def compute(number, ctx):
            with inner_status():
                try:
                    _set_outputs(ctx, function(*_inputs(ctx), **_attributes.get(number, {})), name)
                except Exception as error:
                    _fail(lib.TF_OpKernelContext_Failure, ctx, error)

        @_DELETE
        def delete(number):
            _attributes.pop(number, None)

        _define(name, inputs, outputs, attrs, shape, kinds, is_stateful)
        builder = lib.TF_NewKernelBuilder(text(name), text(device), create, compute, delete)
        _kept.append((create, compute, delete))
        call("TF_RegisterKernelBuilder", text(f"Python {name}"), builder)
        return function

    return register


def _define(name, inputs, outputs, attrs, shape, kinds, is_stateful):
    builder = lib.TF_NewOpDefinitionBuilder(text(name))
    for add, specs in (("Attr", attrs), ("Input", inputs), ("Output", outputs)):
        for spec in specs:
            getattr(lib, f"TF_OpDefinitionBuilderAdd{add}")(builder, text(spec))
    if shape is not None:
        callback = _make_shape_function(shape, len(outputs), kinds)
        _kept.append(callback)
        lib.TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, callback)
    lib.TF_OpDefinitionBuilderSetIsStateful(builder, is_stateful)
    call("TF_RegisterOpDefinition", builder)
