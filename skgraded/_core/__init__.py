"""Compiled kernels: arrays in, arrays out.

They check that their arrays fit each other, by lengths and outer borders alone. The definitions of
the measures and all other validation live in Python above this package.

Kernels run without the GIL. Scores may be rewritten meanwhile by other threads: the result is then
that of some values which were there. All other arrays are indices or index something, are made by
the package, and must be left alone while a kernel reads them.
"""

from skgraded._core._native import *

LAST_RANK = 2**63 - 1  # the last rank that counts without a cut-off
