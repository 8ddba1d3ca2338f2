# SPDX-License-Identifier: Apache-2.0
"""How does a model run? `Session` is a model, optimised, with its kernels; `Stream` a run with a state of its own."""
import collections
import ctypes
import os
import threading

from . import _dtypes, _tensor
from ._dtypes import BY_NUMBER
from ._lib import call, call_json, check, lib, status, text

Port = collections.namedtuple("Port", "name dtype shape quantisation")
Port.__doc__ = """An input or output. `shape` has None for an axis of unknown size and is None where the rank is unknown;
`quantisation` is (scale, zero_point), or None."""


class _Handle:
    """An object of the library, destroyed with the last that keeps it; `kept` outlives it."""

    __slots__ = ("pointer", "destroy", "kept")

    def __init__(self, pointer, destroy, kept=None):
        self.pointer, self.destroy, self.kept = pointer, destroy, kept

    def __del__(self):
        self.destroy(self.pointer)


# --- Options --------------------------------------------------------------------------------------
def _nanoseconds(seconds):
    return max(int(seconds * 1e9), 1)


def _set_shapes(options, shapes):
    for name, shape in shapes.items():
        call("oribi_options_set_input_shape", options, text(name), _tensor._dims(shape), len(shape))


def _set_bounds(options, bounds):
    for (name, dim), most in bounds.items():
        call("oribi_options_set_input_bound", options, text(name), dim, most)


def _set_each(name):
    return lambda options, values: [call(name, options, text(v)) for v in ([values] if isinstance(values, str) else values)]


_OPTIONS = {
    "threads": lambda o, v: lib.oribi_options_set_threads(o, v),
    "device": lambda o, v: call("oribi_options_set_device", o, text(v)),
    "place": lambda o, v: [call("oribi_options_place_node", o, text(n), text(d)) for n, d in v.items()],
    "soft_placement": lambda o, v: lib.oribi_options_set_soft_placement(o, v),
    "device_max_bytes": lambda o, v: lib.oribi_options_set_device_max_bytes(o, v),
    "input_shapes": _set_shapes,
    "input_bounds": _set_bounds,
    "max_bytes": lambda o, v: lib.oribi_options_set_max_bytes(o, v),
    "time_limit": lambda o, v: lib.oribi_options_set_time_limit(o, _nanoseconds(v)),
    "kernels": lambda o, v: call("oribi_options_set_kernels", o, text(v)),
    "tflite_variant": lambda o, v: call("oribi_options_set_tflite_variant", o, text(v)),
    "signature": lambda o, v: call("oribi_options_set_signature", o, text(v)),
    "disable_passes": _set_each("oribi_options_disable_pass"),
    "check": lambda o, v: call("oribi_options_set_check", o, text(v)),
    "read_files": lambda o, v: lib.oribi_options_set_read_files(o, v),
    "follow_links": lambda o, v: lib.oribi_options_set_follow_links(o, v),
}


def _make_options(settings):
    options = _Handle(call("oribi_options_create"), lib.oribi_options_destroy)
    for name, value in settings.items():
        if name not in _OPTIONS:
            raise TypeError(f"oribi.Session has no option {name!r}; there are {', '.join(sorted(_OPTIONS))}")
        if value is not None:
            _OPTIONS[name](options.pointer, value)
    return options


# --- Ports ----------------------------------------------------------------------------------------
def _read_ports(model, side):
    scale, zero = ctypes.c_float(), ctypes.c_int32()
    dims = (ctypes.c_int64 * 254)()
    ports = []
    for i in range(getattr(lib, f"oribi_model_num_{side}s")(model)):
        rank = getattr(lib, f"oribi_model_{side}_shape")(model, i, dims, 254)
        n = getattr(lib, f"oribi_model_{side}_quantisation")(model, i, ctypes.byref(scale), ctypes.byref(zero))
        ports.append(Port(
            getattr(lib, f"oribi_model_{side}_name")(model, i).decode("utf-8", "surrogateescape"),
            BY_NUMBER[getattr(lib, f"oribi_model_{side}_type")(model, i)],
            None if rank < 0 else tuple(None if size < 0 else size for size in dims[:rank]),
            (scale.value, zero.value) if n == 1 else None))
    return tuple(ports)


def _read_metadata(model):
    found, i = {}, 0
    while (key := lib.oribi_model_metadata_key(model, i)) is not None:
        found[key.decode("utf-8", "replace")] = lib.oribi_model_metadata(model, key).decode("utf-8", "replace")
        i += 1
    return found


def _fixed(shape):
    return shape if shape is not None and None not in shape else None


# --- One run --------------------------------------------------------------------------------------
class _Run:
    """Bindings and working memory of one thread at a time."""

    __slots__ = ("handle", "pointer", "bound", "lent", "limit", "ports")

    def __init__(self, session):
        self.handle = _Handle(call("oribi_run_create", session._handle.pointer), lib.oribi_run_destroy, session._handle)
        self.pointer = self.handle.pointer
        self.bound = [None] * len(session.inputs)  # the tensor; or the array bound in place, and what it was then
        self.lent = {}  # memory that outputs have
        self.limit = 0
        self.ports = session.inputs

    def bind(self, index, value):
        before = self.bound[index]
        if isinstance(value, _tensor.Tensor):
            if before is not value:
                call("oribi_run_set_input", self.pointer, index, value.handle)
                self.bound[index] = value
            return
        if type(before) is tuple and before[0] is value and before[1] == value.shape and before[2] == value.strides and \
                before[3] is value.dtype:
            if before[4]:  # not aligned: the tensor has a copy, which is made anew
                ctypes.memmove(before[4], before[5], before[6])
            return
        port = self.ports[index]
        handle = _tensor.handle_of(value, port.dtype, f"input '{port.name}'")
        try:
            call("oribi_run_set_input", self.pointer, index, handle)
            self.bound[index] = self._remember(value, handle)
        finally:
            lib.TF_DeleteTensor(handle)

    @staticmethod
    def _remember(value, handle):
        """The same array again needs no other tensor."""
        numpy = _dtypes.get_numpy()
        if numpy is None or type(value) is not numpy.ndarray or value.dtype.kind in "USO" or not value.flags.c_contiguous:
            return None
        address, own = value.__array_interface__["data"][0], lib.TF_TensorData(handle)
        return value, value.shape, value.strides, value.dtype, own if own != address else None, address, value.nbytes

    def lend(self, own):
        """{index: array} become the memory of outputs; gives the set of those that cannot be. Tensors that have it stay."""
        if len(own) == len(self.lent) and all(self.lent.get(index) is value for index, value in own.items()):
            return ()
        self.give_back()  # all first: no memory may be two outputs'
        self.lent = own
        return {index for index, value in own.items() if not self._lend_one(index, value)}

    def give_back(self):
        lent, self.lent = self.lent, {}
        for index in lent:
            call("oribi_run_set_output", self.pointer, index, None)

    def _lend_one(self, index, value):
        """False where it is not dense, not aligned, NumPy's strings."""
        if isinstance(value, _tensor.Tensor):
            call("oribi_run_set_output", self.pointer, index, value.handle)
            return True
        dtype = _dtypes.of_numpy(value.dtype) if hasattr(value, "__array_interface__") else None
        if dtype is None:
            raise TypeError(f"an output is written into an array of NumPy or an oribi.Tensor, not into {type(value).__name__}")
        address, is_read_only = value.__array_interface__["data"]
        if is_read_only:
            raise ValueError("the array for an output is read-only")
        if dtype.number == _dtypes.STRING or address % _tensor.ALIGNMENT or not value.flags.c_contiguous or not value.nbytes:
            return False
        handle = _tensor.borrow(dtype, value.shape, address, value)
        try:
            call("oribi_run_set_output", self.pointer, index, handle)
        finally:
            lib.TF_DeleteTensor(handle)
        return True

    def execute(self, timeout):
        limit = _nanoseconds(timeout) if timeout is not None else 0
        if limit != self.limit:
            lib.oribi_run_set_time_limit(self.pointer, limit)
            self.limit = limit
        handle = status()
        lib.oribi_run_execute(self.pointer, handle)
        if lib.TF_GetCode(handle):
            check(handle)

    def output(self, index, dtype, shape):
        handle = status()
        tensor = lib.oribi_run_output(self.pointer, index, handle)
        if not tensor:
            check(handle)
        return _tensor.result(tensor, dtype, shape if shape is not None else _tensor.shape_of(tensor))


# --- Session --------------------------------------------------------------------------------------
class Session:
    """A model that is ready to run; it may be shared by threads, and it pickles.

    >>> session = oribi.Session(digits)
    >>> [(p.name, p.dtype, p.shape) for p in session.inputs]
    [('picture', float32, (1, 1, 8, 8))]
    >>> len(session.run({"picture": picture})["probabilities"][0])
    10

    Options are those of `oribi run`: `plugins` (paths), `device`, `threads`, `input_shapes` ({name: shape}), `input_bounds` ({(name,
    dimension): most}), `max_bytes`, `time_limit` (seconds), `kernels`, `tflite_variant`, `signature`, `disable_passes`, `check`, `place` ({node: device}), `soft_placement`,
    `device_max_bytes`, `read_files`, `follow_links`.
    """

    def __init__(self, model, *, plugins=(), device=None, threads=None, **options):
        self._recipe = (model if isinstance(model, (bytes, bytearray, memoryview)) else os.fspath(model),
                        tuple([plugins] if isinstance(plugins, (str, os.PathLike)) else plugins),
                        {"device": device, "threads": threads, **options})
        self._open()

    def _open(self):
        source, plugins, settings = self._recipe
        if plugins:
            from . import plugin

            for path in plugins:
                plugin.load(path)
        options = _make_options(settings)
        if isinstance(source, (str, os.PathLike)):
            model, kept = call("oribi_model_open", text(source), options.pointer), None
        else:
            kept = bytes(source)
            model = call("oribi_model_from_memory", kept, len(kept), b"model", options.pointer)
        self._model = _Handle(model, lib.oribi_model_destroy, kept)
        self._handle = _Handle(call("oribi_session_create", model, options.pointer), lib.oribi_session_destroy, self._model)
        self.inputs, self.outputs = _read_ports(model, "input"), _read_ports(model, "output")
        self.num_states = lib.oribi_model_num_states(model)  # values that the model keeps from run to run
        self.metadata = _read_metadata(model)
        self._index = {port.name: i for i, port in enumerate(self.inputs)}
        self._plan = {port.name: (port.name, i, port.dtype, _fixed(port.shape)) for i, port in enumerate(self.outputs)}
        self._all = tuple(self._plan.values())
        self._idle = []  # runs; append and pop are atomic
        self._running = set()
        self._lock, self._one_at_a_time = threading.Lock(), threading.Lock()
        self._executor = None

    def __repr__(self):
        def ports(side):
            return ", ".join(f"{p.name}: {p.dtype}{list(p.shape) if p.shape is not None else '[?]'}" for p in side)
        return f"<oribi.Session ({ports(self.inputs)}) -> ({ports(self.outputs)})>"

    def __reduce__(self):
        return _reopen, self._recipe

    # --- Running ---------------------------------------------------------------------------------
    def run(self, inputs, outputs=None, *, out=None, timeout=None):
        """Computes. `inputs` maps names to arrays, or is one array for a model of one input; `outputs` names what is wanted,
        None: all. Gives {name: array}. Arrays are used where they are if they are dense and aligned to 64 bytes
        (`oribi.empty`, `oribi.tensor`), and results are the library's memory, never written again while somebody has them. `out` maps
        names to arrays that the results are written into; `timeout` is in seconds.

        >>> oribi.Session(digits).run(picture)["probabilities"].shape
        (1, 10)
        """
        run = self._take()
        try:
            return self._execute(run, inputs, outputs, timeout, out)
        finally:
            self._give(run)

    def _take(self):
        """A run that no other thread has. A model with a state has one for all, so that its runs come one after the other."""
        if self.num_states:
            self._one_at_a_time.acquire()
        run = self._idle.pop() if self._idle else _Run(self)
        self._running.add(run)
        return run

    def _give(self, run):
        self._running.discard(run)
        self._idle.append(run)
        if self.num_states:
            self._one_at_a_time.release()

    def reset(self):
        """Puts the first values of a model with a state back."""
        if self.num_states:
            run = self._take()
            try:
                call("oribi_run_reset", run.pointer)
            finally:
                self._give(run)

    def _execute(self, run, inputs, outputs, timeout, out=None):
        if type(inputs) is not dict:
            inputs = self._named(inputs)
        for name, value in inputs.items():
            index = self._index.get(name)
            if index is None:
                self._refuse(name, self._index, "input")
            run.bind(index, value)
        if len(inputs) != len(self.inputs):
            missing = [name for name in self._index if name not in inputs]
            raise ValueError(f"inputs that are not given: {', '.join(missing)}")
        wanted = self._all if outputs is None else self._pick(outputs)
        if out or run.lent:
            return self._execute_into(run, wanted, timeout, out or {})
        run.execute(timeout)
        return {name: run.output(index, dtype, shape) for name, index, dtype, shape in wanted}

    def _execute_into(self, run, wanted, timeout, out):
        own = {row[1]: value for row, value in zip(self._pick(out), out.values())}
        later = own
        try:
            later = run.lend(own)
            run.execute(timeout)
        finally:
            if later or not all(isinstance(value, _tensor.Tensor) for value in own.values()):
                run.give_back()
        found = {}
        for name, index, dtype, shape in wanted:
            if name in out and index not in later:
                found[name] = out[name]
                continue
            found[name] = run.output(index, dtype, shape)
            if name in out:
                out[name][...] = found[name]
                found[name] = out[name]
        return found

    def _named(self, inputs):
        if hasattr(inputs, "items"):
            return dict(inputs)
        if len(self.inputs) != 1:
            raise TypeError(f"the model has {len(self.inputs)} inputs: give a dict of {', '.join(self._index)}")
        return {self.inputs[0].name: inputs}

    def _pick(self, names):
        names = [names] if isinstance(names, str) else names
        for name in names:
            if name not in self._plan:
                self._refuse(name, self._plan, "output")
        return [self._plan[name] for name in names]

    @staticmethod
    def _refuse(name, known, side):
        import difflib

        near = difflib.get_close_matches(str(name), known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known) or 'none'}"
        raise KeyError(f"the model has no {side} '{name}'; {hint}")

    def run_async(self, inputs, outputs=None, *, timeout=None):
        """The same on a thread of the session: a concurrent.futures.Future, whose `cancel()` also stops a run under way.

        >>> oribi.Session(digits).run_async({"picture": picture}).result()["probabilities"].shape
        (1, 10)
        """
        from ._future import submit

        return submit(self, inputs, outputs, timeout)

    async def arun(self, inputs, outputs=None, *, timeout=None):
        """The same for asyncio; a task that is cancelled stops its run."""
        import asyncio

        return await asyncio.wrap_future(self.run_async(inputs, outputs, timeout=timeout))

    def cancel(self):
        """Stops the runs that are under way, from any thread: they end with oribi.Cancelled. Later ones are not affected."""
        for run in list(self._running):
            lib.oribi_run_cancel(run.pointer)

    def stream(self):
        """A run with a state of its own, for models that keep one between runs (streaming)."""
        return Stream(self)

    # --- Looking ---------------------------------------------------------------------------------
    def describe(self, what="graph"):
        """What the library says of the session: "graph", "passes", "memory", "copies", "devices", "explain:NODE"."""
        return call_json("oribi_session_describe", self._handle.pointer, text(what))

    def profile(self, inputs, *, runs=10, warm_up=3):
        """Where the time goes: a `Profile`, a list of {"node", "kind", "detail", "lane", "ns", "share"}, the slowest first; ns
        is the median of the runs.

        >>> len(oribi.Session(digits).profile(picture, runs=2)) > 3
        True
        """
        from ._profile import measure

        return measure(self, inputs, runs, warm_up)


def _reopen(model, plugins, options):
    return Session(model, plugins=plugins, **options)


class Stream:
    """Runs of one stream: what the model keeps goes from one to the next, and into no other stream. One thread at a time."""

    def __init__(self, session):
        self.session = session
        self._run = _Run(session)

    def run(self, inputs, outputs=None, *, timeout=None):
        """As `Session.run`; a run that fails leaves the state as it was."""
        return self.session._execute(self._run, inputs, outputs, timeout)

    def reset(self):
        """Puts the model's first values back."""
        call("oribi_run_reset", self._run.pointer)

    def cancel(self):
        """Stops the run that is under way, from any thread."""
        lib.oribi_run_cancel(self._run.pointer)
