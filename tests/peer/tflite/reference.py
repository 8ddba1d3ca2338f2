# SPDX-License-Identifier: Apache-2.0
"""Asks a reference interpreter, inside a Python that has it:

    python reference.py tflite|litert|tflm JOBS RESULTS

JOBS is a pickle of [(model, [input bytes], steps, usual)], the inputs of one step after the other; RESULTS becomes {"version": ..., "results": [[output
bytes] or the error's text]}. Each model runs in a process of its own: an interpreter that aborts costs
one case. tflite: TensorFlow Lite's reference kernels; litert: those of its
successor; with `usual` those that their interpreters run by themselves. tflm: TensorFlow Lite Micro's."""
import os
import pickle
import sys

import numpy as np


def tflite():
    import tensorflow as tf
    return tf.__version__, interpreting(tf.lite.Interpreter, tf.lite.experimental.OpResolverType)


def litert():
    import importlib.metadata
    from ai_edge_litert import interpreter
    return (importlib.metadata.version("ai-edge-litert"),
            interpreting(interpreter.Interpreter, interpreter.OpResolverType))


def interpreting(make, resolvers):
    def stream(model, inputs, steps, resolver, before):
        interpreter = make(model_content=model, experimental_op_resolver_type=resolver)
        interpreter.allocate_tensors()
        details, outputs, results = interpreter.get_input_details(), interpreter.get_output_details(), []
        for step in range(steps):
            for detail, raw in zip(details, inputs[step * len(details):]):
                value = np.frombuffer(raw, detail["dtype"]).reshape(detail["shape"])
                interpreter.set_tensor(detail["index"], value)
            for d in outputs:
                try:
                    interpreter.set_tensor(d["index"], np.full(d["shape"], before, d["dtype"]))
                except (ValueError, RuntimeError):  # of a size that the run finds out
                    pass
            interpreter.invoke()
            results += [interpreter.get_tensor(d["index"]).tobytes() for d in outputs]
        return results

    def run(model, inputs, steps, usual):
        resolver = resolvers.BUILTIN_WITHOUT_DEFAULT_DELEGATES if usual else resolvers.BUILTIN_REF
        # a kernel that leaves values unwritten is no reference
        results = [stream(model, inputs, steps, resolver, before) for before in (0, 3)]
        if results[0] != results[1]:
            raise ValueError("the interpreter leaves values of its output unwritten")
        return results[0]

    return run


def tflm():
    import importlib.metadata
    from tflite_micro import runtime

    def run(model, inputs, steps, _):
        interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
        n_outputs, n_inputs, results = model_outputs(model), len(inputs) // steps, []
        for step in range(steps):
            for i, raw in enumerate(inputs[step * n_inputs:(step + 1) * n_inputs]):
                detail = interpreter.get_input_details(i)
                interpreter.set_input(np.frombuffer(raw, detail["dtype"]).reshape(detail["shape"]), i)
            is_whole = interpreter.invoke() != 15  # kTfLiteAbort
            results += [interpreter.get_output(i).tobytes() for i in range(n_outputs)]
            if not is_whole:  # the last output is not made: it counts as that of the run before, or as zeros
                zero = interpreter.get_output_details(n_outputs - 1)["quantization_parameters"]["zero_points"][0]
                results[-1] = results[-1 - n_outputs] if step > 0 else bytes([zero & 255]) * len(results[-1])
        return results

    return importlib.metadata.version("tflite_micro"), run


def model_outputs(model):
    """How many outputs the first subgraph has: root field 2, its field 2."""
    def u32(at):
        return int.from_bytes(model[at:at + 4], "little")

    def field(table, number):
        vtable = table - int.from_bytes(model[table:table + 4], "little", signed=True)
        at = int.from_bytes(model[vtable + 4 + 2 * number:vtable + 6 + 2 * number], "little")
        return table + at + u32(table + at)

    graphs = field(u32(0), 2)
    return u32(field(graphs + 4 + u32(graphs + 4), 2))


def apart(run, job):
    """The result of run in a child process, or what went wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            result = run(*job)
        except Exception as error:  # the interpreter's refusal is a result
            result = f"{type(error).__name__}: {error}"
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        raw = pipe.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(raw) if raw else f"the interpreter died (status {status})"


def main():
    version, run = {"tflite": tflite, "litert": litert, "tflm": tflm}[sys.argv[1]]()
    with open(sys.argv[2], "rb") as file:
        jobs = pickle.load(file)
    results = [apart(run, job) for job in jobs]
    with open(sys.argv[3], "wb") as file:
        pickle.dump({"version": version, "results": results}, file)


if __name__ == "__main__":
    main()
