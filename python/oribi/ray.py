# SPDX-License-Identifier: Apache-2.0
"""Models over Ray Data: `oribi.ray.predict(dataset, "model.onnx")` adds the model's outputs as columns to each row.

    dataset = ray.data.read_parquet("s3://pictures")
    oribi.ray.predict(dataset, "model.onnx", concurrency=(2, 64)).write_parquet("s3://scores")

Ray has the actors, their number, back-pressure and restarts; this module says what an actor does, and that what dies is tried again. It
needs the packages ray and numpy.
"""
import numpy

import oribi


class Model:
    """What an actor does: a session, and batches of rows. Columns are named as inputs are, or as `columns` says, input by input."""

    def __init__(self, path, columns=None, rows=None, keep=True, **options):
        self.session = oribi.Session(path, **options)
        self.columns = {port.name: (columns or {}).get(port.name, port.name) for port in self.session.inputs}
        self.keep = keep
        self.fixed = {port.shape[0] for port in self.session.inputs if port.shape and port.shape[0] is not None}
        if len(self.fixed) > 1:
            raise ValueError(f"{path}: inputs have batches of different sizes, {sorted(self.fixed)}, so that rows are not divided")
        self.rows = next(iter(self.fixed)) if self.fixed else rows
        if rows is not None and self.fixed and rows != self.rows:
            raise ValueError(f"{path}: the model has batches of {self.rows} rows, not {rows}")

    def _run(self, batch, begin, end):
        """The outputs of these rows. Where the model's batch is larger, the last row fills it up."""
        missing = self.rows - (end - begin) if self.fixed else 0
        inputs = {}
        for port in self.session.inputs:
            array = numpy.ascontiguousarray(batch[self.columns[port.name]][begin:end])
            if missing > 0:
                array = numpy.concatenate([array, numpy.repeat(array[-1:], missing, axis=0)])
            inputs[port.name] = array
        found = self.session.run(inputs)
        for name, array in found.items():
            if array.ndim == 0 or array.shape[0] != end - begin + missing:
                raise ValueError(f"output {name!r} has shape {array.shape}: not a row for each of {end - begin + missing} rows")
        return {name: array[:end - begin] for name, array in found.items()}

    def __call__(self, batch):
        n = len(batch[next(iter(self.columns.values()))])
        step = self.rows or max(n, 1)
        parts = [self._run(batch, i, min(i + step, n)) for i in range(0, n, step)]
        results = dict(batch) if self.keep else {}
        for port in self.session.outputs:
            results[port.name] = numpy.concatenate([part[port.name] for part in parts]) if parts else numpy.empty((0,), "f4")
        return results


def predict(dataset, path, *, columns=None, rows=None, keep=True, batch_size=64, concurrency=1, num_cpus=1, ray_remote_args=None, **options):
    """The dataset with a column more for each output.

    `path` is a path that every node has, or the model's bytes. `columns` maps names of inputs to columns. `rows` is how many rows a run
    takes (default: those of the batch that Ray hands over; a model with a fixed batch takes its own): rows=1 makes a row's result independent of its
    neighbours, to the bit. `keep` is whether the other columns stay. `concurrency` is a number of actors, or (least, most). An actor that dies is
    started again, and what it had not given back is done once more. `options` are those of oribi.Session; `threads` is num_cpus unless it is given.
    """
    options.setdefault("threads", max(int(num_cpus), 1))
    remote = {"max_restarts": -1, "max_task_retries": -1, **(ray_remote_args or {})}
    return dataset.map_batches(Model, fn_constructor_args=(path,), fn_constructor_kwargs={"columns": columns, "rows": rows, "keep": keep, **options},
                               batch_size=batch_size, batch_format="numpy", concurrency=concurrency, num_cpus=num_cpus, **remote)
