"""How texts were read, in a model file: plain data, with lists of words as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.text.options import TextOptions
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.store.codecs import Packer, Unpacker


def pack_text_options(packer: Packer, value: TextOptions, where: str) -> dict[str, Any]:
    """Return text options as JSON.

    Parameters
    ----------
    packer : Packer
        Takes the arrays of stop words and phrases.
    value : TextOptions
        The options.
    where : str
        Name of the value.

    Returns
    -------
    dict of str to object
        One entry per option.
    """
    data = {
        name: np.array(item, dtype=object) if isinstance(item, list) else item for name, item in value.to_dict().items()
    }
    return {name: packer.pack(item, f"{where}.{name}") for name, item in data.items()}


def unpack_text_options(unpacker: Unpacker, content: Any) -> TextOptions:
    """Return the text options of a file, checked.

    Parameters
    ----------
    unpacker : Unpacker
        Has the arrays.
    content : object
        Result of `pack_text_options`.

    Returns
    -------
    TextOptions
        The options.
    """
    if not isinstance(content, dict):
        raise PlaitError("the text options are not a mapping")
    values = {name: unpacker.unpack(item) for name, item in content.items()}
    return TextOptions.from_dict(
        {name: item.tolist() if isinstance(item, np.ndarray) else item for name, item in values.items()}
    )
