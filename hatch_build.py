"""Build hook: the description of the package is README.md without the links that only work in the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*")
_LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]*\)")


class DescriptionHook(MetadataHookInterface):
    """Set the description: pictures with relative paths are removed, other relative links become their text."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme`.

        Parameters
        ----------
        metadata : dict
            The fields of the project; changed in place.
        """
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = _LINK.sub(r"\1", _PICTURE.sub("", text))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
