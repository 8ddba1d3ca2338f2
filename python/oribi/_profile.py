# SPDX-License-Identifier: Apache-2.0
"""Where does the time of a run go? The library's trace, summed by node over several runs."""
import ctypes

from ._lib import TRACE_HOOK, lib


class Profile(list):
    """Rows of a measurement; `str()` is a table for people, `total_ns` the median of whole runs."""

    total_ns = 0

    def __str__(self):
        rows = [f"{r['ns'] / 1e3:10.1f} us  {100 * r['share']:5.1f} %  {r['node']}  ({r['detail']})" for r in self]
        return "\n".join(rows + [f"{self.total_ns / 1e3:10.1f} us  in all"])


def _median(values):
    return sorted(values)[len(values) // 2]


def measure(session, inputs, runs, warm_up):
    stream = session.stream()  # an own run: others are not traced
    for _ in range(max(warm_up, 1)):
        stream.run(inputs)
    seen, totals, present = {}, [], []

    @TRACE_HOOK
    def note(_, event):
        e = event.contents
        if e.kind == b"step" or e.lane >= 500:
            present.append(((e.name, e.kind, e.detail, e.lane_name), e.start_ns, e.end_ns))

    lib.oribi_run_set_trace(stream._run.pointer, note, None)
    try:
        for _ in range(max(runs, 1)):
            present.clear()
            stream.run(inputs)
            sums = {}
            for key, start, end in present:
                sums[key] = sums.get(key, 0) + end - start
            for key, ns in sums.items():
                seen.setdefault(key, []).append(ns)
            totals.append(sum(sums.values()))
    finally:
        lib.oribi_run_set_trace(stream._run.pointer, ctypes.cast(None, TRACE_HOOK), None)
    profile = Profile()
    profile.total_ns = _median(totals)
    for key, values in seen.items():
        node, kind, detail, lane = ((part or b"").decode("utf-8", "replace") for part in key)
        ns = _median(values)
        profile.append({"node": node, "kind": kind, "detail": detail, "lane": lane, "ns": ns,
                        "share": ns / profile.total_ns if profile.total_ns else 0.0})
    profile.sort(key=lambda row: -row["ns"])
    return profile
