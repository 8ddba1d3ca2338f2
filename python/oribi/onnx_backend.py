# SPDX-License-Identifier: Apache-2.0
"""onnx.backend over oribi: `oribi.onnx_backend.prepare(model).run(inputs)`, and what onnx's own backend tests call.

It needs the package onnx.
"""
import collections

import onnx
from onnx.backend.base import Backend, BackendRep

import oribi


class OribiRep(BackendRep):
    """A model that is ready; `session` is the oribi.Session."""

    def __init__(self, session):
        self.session = session

    def run(self, inputs, **options):
        """The outputs as a named tuple, in the order of the model; inputs are a dict, or in its order."""
        if not isinstance(inputs, dict):
            inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            if len(inputs) > len(self.session.inputs):
                raise ValueError(f"{len(inputs)} inputs for a model of {len(self.session.inputs)}")
            inputs = dict(zip((port.name for port in self.session.inputs), inputs))
        found = self.session.run(inputs)
        names = [port.name for port in self.session.outputs]
        return collections.namedtuple("Outputs", names, rename=True)(*(found[name] for name in names))


class OribiBackend(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **options):
        super().prepare(model, device)
        return OribiRep(oribi.Session(model.SerializeToString(), device=None if device == "CPU" else device, **options))

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **options):
        super().run_node(node, inputs, device=device, outputs_info=outputs_info)
        if outputs_info is None:
            raise ValueError("run_node: outputs_info, the (dtype, shape) of each output, is needed")
        names = [name for name in node.input if name]
        ports = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                 for name, value in zip(names, inputs)]
        results = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(dtype), shape)
                   for name, (dtype, shape) in zip(node.output, outputs_info)]
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "node", ports, results))
        return cls.prepare(model, device, **options).run(dict(zip(names, inputs)))

    @classmethod
    def supports_device(cls, device):
        return device == "CPU" or any(device in (d.get("name"), d.get("type")) for d in oribi.describe("devices"))


prepare, run_model, run_node = OribiBackend.prepare, OribiBackend.run_model, OribiBackend.run_node
supports_device, is_compatible = OribiBackend.supports_device, OribiBackend.is_compatible
