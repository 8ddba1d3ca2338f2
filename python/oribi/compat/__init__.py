# SPDX-License-Identifier: Apache-2.0
"""Faces of other packages, for programs that were written for them."""
