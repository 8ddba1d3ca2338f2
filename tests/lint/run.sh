#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Static checks: formatting, layering, house rules. Each rule prints file:line and the reason.
set -eu
cd "$(dirname "$0")/../.."
status=0
git ls-files '*.c' '*.h' '*.cc' | xargs clang-format-14 --dry-run --Werror || status=1
python3 tests/lint/layers.py || status=1
python3 tests/lint/rules.py || status=1
[ $status = 0 ] && echo "lint: clean"
exit $status
