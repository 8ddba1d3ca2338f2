# SPDX-License-Identifier: Apache-2.0
"""`python -m oribi ...` is the command."""
from ._command import main

main()
