"""Features of the training documents in a file: a matrix, and the names of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_texts
from plait.errors import PlaitError
from plait.inputs.features import FeatureMatrix

if TYPE_CHECKING:
    from plait.store.codecs import Packer, Unpacker


def is_features(value: Any) -> bool:
    """Return whether a value is a matrix of features."""
    return type(value) is FeatureMatrix


def pack_features(packer: Packer, value: FeatureMatrix, where: str) -> dict[str, Any]:
    """Return features as JSON; their arrays are added to the packer."""
    return {"values": packer.pack(value.values, where), "names": packer.pack(value.names, f"{where}.names")}


def unpack_features(unpacker: Unpacker, content: Mapping[str, Any]) -> FeatureMatrix:
    """Return the features that were packed; raise an error if they are no matrix."""
    values, names = unpacker.unpack(content["values"]), unpacker.unpack(content["names"])
    if not isinstance(values, (np.ndarray, sparse.csr_array)) or values.ndim != 2:
        raise PlaitError("features are no matrix")
    if names is not None:
        check_texts("names of features", names, values.shape[1])
    return FeatureMatrix(values, names)
