# SPDX-License-Identifier: Apache-2.0
"""The part of ONNX Runtime's Python API that programs use, over oribi: `import oribi.compat.onnxruntime as onnxruntime`.

Execution providers are taken and ignored, with a warning when others than the CPU's are asked for; so are options that
say how ONNX Runtime works inside. What would change results and is not here raises.

>>> from oribi.compat import onnxruntime as ort
>>> session = ort.InferenceSession(digits, providers=["CPUExecutionProvider"])
>>> [(i.name, i.type, i.shape) for i in session.get_inputs()]
[('picture', 'tensor(float)', [1, 1, 8, 8])]
>>> session.run(None, {"picture": picture})[0].shape
(1, 10)
"""
import enum
import warnings

import oribi

from .. import _dtypes, _tensor

__version__ = oribi.__version__
_WORDS = {"float32": "float", "float64": "double"}
_DTYPES = {word: name for name, word in _WORDS.items()}


def get_available_providers():
    return ["CPUExecutionProvider"]


get_all_providers = get_available_providers


def get_device():
    return "CPU"


def set_default_logger_severity(severity):
    """Nothing: the library logs warnings and errors."""


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """intra_op_num_threads, graph_optimization_level, plugins by register_custom_ops_library; the rest is kept and ignored."""

    def __init__(self):
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.log_severity_level = self.log_verbosity_level = -1
        self.enable_profiling = self.use_deterministic_compute = False
        self.enable_cpu_mem_arena = self.enable_mem_pattern = self.enable_mem_reuse = True
        self.optimized_model_filepath = self.profile_file_prefix = self.logid = ""
        self._free_dimensions, self._libraries, self._config = {}, [], {}

    def add_free_dimension_override_by_name(self, name, size):
        raise NotImplementedError(f"axis '{name}': oribi fixes shapes by input; "
                                  "oribi.Session(model, input_shapes={input: shape})")

    def add_session_config_entry(self, key, value):
        self._config[key] = value

    def get_session_config_entry(self, key):
        return self._config[key]

    def register_custom_ops_library(self, path):
        self._libraries.append(path)


class RunOptions:
    def __init__(self):
        self.log_severity_level = self.log_verbosity_level = -1
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.terminate = False


class NodeArg:
    def __init__(self, port):
        self.name, self._port = port.name, port
        self.type = f"tensor({_WORDS.get(port.dtype.name, port.dtype.name)})"
        self.shape = [] if port.shape is None else list(port.shape)

    def __repr__(self):
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


class ModelMetadata:
    _FIELDS = ("producer_name", "producer_version", "domain", "model_version", "doc_string", "graph_name")

    def __init__(self, metadata):
        self.producer_name = metadata.get("producer_name", "")
        self.graph_name = metadata.get("graph_name", "")
        self.domain = metadata.get("domain", "")
        self.description = metadata.get("doc_string", metadata.get("description", ""))
        self.graph_description = ""
        self.version = int(metadata.get("model_version", 0))
        self.custom_metadata_map = {k: v for k, v in metadata.items() if k not in self._FIELDS}


class OrtValue:
    """A tensor in host memory, aligned so that runs use it where it is."""

    def __init__(self, value):
        self._tensor = value

    @staticmethod
    def _check(device):
        if str(device).lower() != "cpu":
            raise ValueError(f"OrtValue on '{device}': tensors of oribi lie in host memory")

    @staticmethod
    def ortvalue_from_numpy(array, device_type="cpu", device_id=0):
        OrtValue._check(device_type)
        made = _tensor.empty(array.shape, array.dtype)
        if made.dtype.number == _dtypes.STRING:
            return OrtValue(_tensor.tensor(array))
        made.numpy()[...] = array
        return OrtValue(made)

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type, device_type="cpu", device_id=0):
        OrtValue._check(device_type)
        return OrtValue(_tensor.empty(tuple(shape), element_type))

    def numpy(self):
        return self._tensor.numpy()

    def shape(self):
        return list(self._tensor.shape)

    def data_type(self):
        return f"tensor({_WORDS.get(self._tensor.dtype.name, self._tensor.dtype.name)})"

    def device_name(self):
        return "cpu"

    def is_tensor(self):
        return True

    def has_value(self):
        return True

    def data_ptr(self):
        return _tensor.lib.TF_TensorData(self._tensor.handle)

    def update_inplace(self, array):
        self._tensor.numpy()[...] = array

    def __dlpack__(self, **options):
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()


class IOBinding:
    """Inputs and outputs bound once: a result is written into the bound memory."""

    def __init__(self, session):
        self._session = session
        self.clear_binding_inputs()
        self.clear_binding_outputs()

    def bind_cpu_input(self, name, array):
        self._inputs[name] = array

    def bind_ortvalue_input(self, name, value):
        self._inputs[name] = value._tensor

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        OrtValue._check(device_type)
        if buffer_ptr is not None:
            raise NotImplementedError("bind_output: give an OrtValue by bind_ortvalue_output, not a pointer")
        self._outputs[name] = _tensor.empty(tuple(shape), element_type) if shape is not None and element_type is not None else None

    def bind_ortvalue_output(self, name, value):
        self._outputs[name] = value._tensor

    def get_outputs(self):
        return [OrtValue(value if isinstance(value, _tensor.Tensor) else _tensor.tensor(value)) for value in self._results]

    def copy_outputs_to_cpu(self):
        return [value.numpy() if isinstance(value, _tensor.Tensor) else value for value in self._results]

    def synchronize_inputs(self):
        """Nothing: runs wait for what they need."""

    synchronize_outputs = synchronize_inputs

    def clear_binding_inputs(self):
        self._inputs = {}

    def clear_binding_outputs(self):
        self._outputs, self._results = {}, []


class InferenceSession:
    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **_):
        options = sess_options if sess_options is not None else SessionOptions()
        others = [p[0] if isinstance(p, tuple) else p for p in providers or ()]
        others = [p for p in others if p != "CPUExecutionProvider"]
        if others:
            warnings.warn(f"providers {', '.join(others)} are ignored: oribi runs on the CPU, or on the devices of its plugins "
                          "(oribi.Session(model, device=...))", stacklevel=2)
        settings = {}
        if options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL:
            settings["disable_passes"] = ("fuse", "layout", "batch_norm")
        self._options = options
        self._session = oribi.Session(path_or_bytes, plugins=options._libraries, threads=options.intra_op_num_threads or None,
                                      **settings)

    def get_inputs(self):
        return [NodeArg(port) for port in self._session.inputs]

    def get_outputs(self):
        return [NodeArg(port) for port in self._session.outputs]

    def get_modelmeta(self):
        return ModelMetadata(self._session.metadata)

    def get_providers(self):
        return get_available_providers()

    def get_provider_options(self):
        return {"CPUExecutionProvider": {}}

    def set_providers(self, providers=None, provider_options=None):
        """Nothing: there is one."""

    def get_session_options(self):
        return self._options

    def run(self, output_names, input_feed, run_options=None):
        """The outputs as a list, in the order of the names, or of the model."""
        feed = {name: value._tensor if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        names = list(output_names) if output_names else [port.name for port in self._session.outputs]
        found = self._session.run(feed, list(dict.fromkeys(names)))
        return [found[name] for name in names]

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        """callback(results, user_data, error) on another thread."""
        names = list(output_names) if output_names else [port.name for port in self._session.outputs]

        def finish(future):
            error = future.exception()
            callback([] if error else [future.result()[n] for n in names], user_data, str(error) if error else "")
        self._session.run_async(dict(input_feed), list(dict.fromkeys(names))).add_done_callback(finish)

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None):
        return [OrtValue(_tensor.tensor(v)) for v in self.run(output_names, input_dict_ort_values)]

    def io_binding(self):
        return IOBinding(self)

    def run_with_iobinding(self, binding, run_options=None):
        wanted = binding._outputs or dict.fromkeys(port.name for port in self._session.outputs)
        own = {name: value for name, value in wanted.items() if value is not None}
        found = self._session.run(binding._inputs, list(wanted), out=own)
        binding._results = [own.get(name, found[name]) for name in wanted]
