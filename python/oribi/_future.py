# SPDX-License-Identifier: Apache-2.0
"""How does a run go on while the caller does something else? Futures, on threads that the session starts when first asked."""
import concurrent.futures
import os

from ._errors import Cancelled
from ._lib import lib


class _Future(concurrent.futures.Future):
    """A run under way: what concurrent.futures has, and `cancel` also stops one that has begun, which then ends with
    oribi.Cancelled."""

    _run = None
    _is_unwanted = False

    def cancel(self):
        if super().cancel():
            return True
        self._is_unwanted = True
        run = self._run
        if run is not None and not self.done():
            lib.oribi_run_cancel(run.pointer)
        return False


def _executor(session):
    with session._lock:
        if session._executor is None or session._executor[0] != os.getpid():  # threads do not survive a fork
            session._executor = os.getpid(), concurrent.futures.ThreadPoolExecutor(
                min(4, os.cpu_count() or 1), thread_name_prefix="oribi")
        return session._executor[1]


def submit(session, inputs, outputs, timeout):
    future = _Future()
    _executor(session).submit(_work, session, future, inputs, outputs, timeout)
    return future


def _work(session, future, inputs, outputs, timeout):
    if not future.set_running_or_notify_cancel():
        return
    result = error = run = None
    try:
        run = future._run = session._take()
        if future._is_unwanted:
            raise Cancelled("the run was cancelled before it began")
        result = session._execute(run, inputs, outputs, timeout)
    except BaseException as raised:
        error = raised
    future._run = None
    if run is not None:
        session._give(run)
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
