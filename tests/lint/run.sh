#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Static checks: formatting, layering, house rules. Each rule prints file:line and the reason.
set -eu
cd "$(dirname "$0")/../.."
status=0
git ls-files '*.c' '*.h' '*.hpp' '*.cc' | xargs clang-format-14 --dry-run --Werror 2>&1 |
    sed -n 's/^\([^:]*\):\([0-9]*\):.*error: code should.*/\1/p' | sort | uniq -c >build-lint.txt
if [ -s build-lint.txt ]; then
    echo "not formatted (make format); places in each file:"
    cat build-lint.txt
    status=1
fi
rm -f build-lint.txt
python3 tests/lint/layers.py || status=1
python3 tests/lint/rules.py || status=1
python3 tests/lint/folders.py || status=1
python3 tests/lint/op_names.py || status=1
python3 tests/lint/isa.py || status=1
python3 tests/lint/pages.py || status=1
python3 tests/lint/performance.py || status=1
python3 tests/lint/features.py || status=1
[ $status = 0 ] && echo "lint: clean"
exit $status
