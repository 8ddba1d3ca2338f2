# SPDX-License-Identifier: Apache-2.0
"""Of many like cases a share, for `make test`: of each kind one in so many, and at least one.

Which ones is said by ORIBI_TEST_SEED: tests/run-all.sh takes the day of the last commit, so that a commit has one sample
and days after one another take others, until all were taken. ORIBI_TEST_FULL=1 (`make test-all`) takes all at once.
"""
import os

SEED = int(os.environ.get("ORIBI_TEST_SEED") or 0)
FULL = os.environ.get("ORIBI_TEST_FULL") == "1"


def share(cases, one_in, kind=lambda case: None):
    """Those of `cases` that are taken, in their order. kind(case) says which are alike."""
    cases, kinds = list(cases), {}
    for at, case in enumerate(cases):
        kinds.setdefault(kind(case), []).append(at)
    taken = {at for alike in kinds.values() for at in alike[SEED % min(one_in, len(alike))::one_in]}
    if not FULL:
        print(f"takes {len(taken)} of {len(cases)} cases: ORIBI_TEST_SEED={SEED}; ORIBI_TEST_FULL=1 takes all", flush=True)
    return [case for at, case in enumerate(cases) if FULL or at in taken]
