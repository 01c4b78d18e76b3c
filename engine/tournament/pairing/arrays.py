"""The one array type of the pairing: 64-bit integers, exact on every machine."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
