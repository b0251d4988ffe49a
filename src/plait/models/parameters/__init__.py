"""Constructor parameters of the estimators: declared, documented and checked once.

`shared.py` declares the parameters that all estimators have, `docs.py` fills their paragraphs into the class
docstrings, `checks.py` has one check per parameter, and `nested.py` reaches the fields of specifications
(`mixing__p`, `responses__labels__c`).
"""

from __future__ import annotations

from plait.models.parameters.checks import check_parameters
from plait.models.parameters.shared import SharedParameters, declare_parameters

__all__ = [
    "SharedParameters",
    "check_parameters",
    "declare_parameters",
]
