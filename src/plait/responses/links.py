"""Links as a response: the loss of a wrong value of a pair, and the number of pairs without a link to draw.

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero, check_whole
from plait.errors import PlaitError
from plait.inputs.links import GivenLinks, read_links
from plait.inputs.words import Words
from plait.pair_features import read_features
from plait.responses.base import Response
from plait.responses.carried import Carried
from plait.responses.linear.bilinear import n_weights
from plait.responses.linear.pairs import ChainPairs, Negatives, Network
from plait.responses.losses import COST_RANGE, SCALE_RANGE, Loss, make_loss
from plait.responses.negatives import n_unlinked_pairs

_COSTS = {"full": 4.0, "diagonal": 25.0, "low_rank": 4.0}  # default of c, as in the paper
# With diagonal weights, many pairs without a link make all weights negative, because there is no intercept.
_NEGATIVES_PER_LINK = {"full": 10.0, "diagonal": 2.0, "low_rank": 10.0}
_NEGATIVES_PER_DOCUMENT = 50.0  # at most, where there would be many pairs; but one per link
_MANY_NEGATIVES = 100_000  # fewer cost little
_MAX_NEGATIVES = 100_000_000
_MAX_WEIGHTS = 8_100  # their covariance matrix takes half a gigabyte
_LOW_RANK = re.compile(r"low_rank\((\d+)\)")


@dataclass(frozen=True)
class LinkResponse(Response):
    """Topics predict links between documents: citations, hyperlinks, imports.

    A link from document i to document j has the value z̄_iᵀ U z̄_j, where z̄ are the topic proportions among the tokens of
    a document and U has a weight for every pair of topics. Pairs without a link are drawn at random, and U separates
    linked pairs from them.

    Parameters
    ----------
    form : {"full", "diagonal"} or "low_rank(r)", default "full"
        "full": every topic may link to every other. "diagonal": topics link to themselves only, as in Chang and Blei
        (2009). "low_rank(8)": a diagonal plus a matrix of rank 8, for many topics: the number of weights grows with the
        number of topics, not with its square.
    directed : bool or None, default None
        Whether a link from i to j differs from one from j to i. None: unless every link has its reverse. Without
        direction U is symmetric.
    loss : {"logistic", "hinge", "probit"}, default "logistic"
        Loss of the values; "hinge" is max margin. "probit" needs whole costs.
    ell : float, default 1.0
        Margin ℓ of the hinge loss.
    c : float or None, default None
        Cost of a wrong value of a link, relative to the log-likelihood of the words. The cost of a link with a weight
        is c × weight / mean weight. None: 4, or 25 with diagonal weights.
    c_negative : float, default 1.0
        Cost of a wrong value of a pair without a link.
    negatives_per_link : float or None, default None
        Number of pairs without a link to draw, per link. None: 10, or 2 with diagonal weights; fewer where documents
        have many links: at most 50 per document or 100,000 in all, but one per link.
    negative_share : float or None, default None
        Number of pairs without a link to draw, as a share of all such pairs; in place of `negatives_per_link`.
    fresh_negatives : int, default 0
        Sweeps after which other pairs without a link are drawn; 0 keeps the first ones.
    nu : float, default 3.0
        Prior standard deviation of the weights.
    weights_every : int, default 5
        Sweeps between two draws of the weights, which take most of the time with many topics.
    pair_features : None, "auto", or list of PairFeature or str, default None
        What is known of pairs beside topics: similar words, links of similar documents, popularity … (see
        `plait.pair_features`). Topics are learned without them; the weights of topics and features are learned from
        hidden documents and links, and scores combine both. "auto": the features that work for most networks, or none,
        with a warning, where `RelationalTopicModel` has none.

    Examples
    --------
    >>> LinkResponse().cost, LinkResponse(form="diagonal").cost
    (4.0, 25.0)
    >>> LinkResponse(form="low_rank(8)").rank
    8
    """

    form: str = "full"
    directed: bool | None = None
    loss: str = "logistic"
    ell: float = 1.0
    c: float | None = None
    c_negative: float = 1.0
    negatives_per_link: float | None = None
    negative_share: float | None = None
    fresh_negatives: int = 0
    nu: float = 3.0
    weights_every: int = 5
    pair_features: Any = None

    kind = "links"

    def check(self) -> None:
        """Reject invalid parameters."""
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu, *SCALE_RANGE)
        if self.form not in ("full", "diagonal") and not self.rank:
            raise PlaitError(
                f"form must be 'full', 'diagonal', or 'low_rank(8)' with any rank from 1 on, not {self.form!r}",
                parameter="form",
            )
        if self.directed not in (None, True, False):
            raise PlaitError(f"directed must be None, True or False, not {self.directed!r}")
        if self.c is not None:
            check_above_zero("c, the cost of a link's wrong value,", self.c, *COST_RANGE)
        check_above_zero("c_negative, the cost of a pair's without a link,", self.c_negative, *COST_RANGE)
        if self.negatives_per_link is not None and self.negative_share is not None:
            raise PlaitError("give negatives_per_link or negative_share, not both", parameter="negative_share")
        if self.negatives_per_link is not None:
            check_above_zero("negatives_per_link", self.negatives_per_link)
        if self.negative_share is not None:
            check_above_zero("negative_share", self.negative_share)
            if self.negative_share > 1:
                raise PlaitError(
                    f"negative_share is a share of pairs, at most 1, not {self.negative_share}",
                    parameter="negative_share",
                )
        check_whole("fresh_negatives", self.fresh_negatives, least=0)
        check_whole("weights_every", self.weights_every, least=1)
        read_features(self.pair_features)
        self.make_loss()

    def make_loss(self) -> Loss:
        """Return the loss object."""
        return make_loss(self.loss, "signs", {"ell": self.ell})

    @property
    def rank(self) -> int | None:
        """Rank r of low-rank weights; None for other forms."""
        found = _LOW_RANK.fullmatch(self.form) if isinstance(self.form, str) else None
        return None if found is None else int(found[1])

    @property
    def cost(self) -> float:
        """Cost of a wrong value of a link with the mean weight."""
        return self._by_form(_COSTS) if self.c is None else float(self.c)

    def n_negatives(self, links: GivenLinks) -> int:
        """Return the number of pairs without a link to draw.

        Parameters
        ----------
        links : GivenLinks
            Training links.
        """
        n_unlinked = n_unlinked_pairs(links.adjacency.shape[0], links.n_links, links.directed)
        if self.negative_share is not None:
            wanted = self.negative_share * n_unlinked
        else:
            wanted = self._negatives_per_link(links) * links.n_links
        number = min(max(round(wanted), 1), n_unlinked)
        if number > _MAX_NEGATIVES:
            raise PlaitError(
                f"{number:,} pairs without a link would be drawn, more than {_MAX_NEGATIVES:,}; "
                "lower negative_share or negatives_per_link",
                parameter="negatives_per_link" if self.negative_share is None else "negative_share",
            )
        return number

    def _negatives_per_link(self, links: GivenLinks) -> float:
        if self.negatives_per_link is not None:
            return float(self.negatives_per_link)
        most = max(_NEGATIVES_PER_DOCUMENT * links.adjacency.shape[0], _MANY_NEGATIVES)
        enough = most / max(links.n_links, 1)
        return min(self._by_form(_NEGATIVES_PER_LINK), max(enough, 1.0))

    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> GivenLinks:
        """Return the links given to `fit`, or those of the Corpus."""
        links = read_links(X, given, words.counts.shape[0], self.directed)
        self._check_size(n_topics, links.directed)
        return links

    def arrays(self, given: GivenLinks) -> list[np.ndarray]:
        """Return the matrix of links, and whether they are directed."""
        links = given.adjacency
        return [links.indptr, links.indices, links.data, np.array([given.directed])]

    def make(self, given: GivenLinks, *, exact: bool, mean: np.ndarray | None = None) -> ChainPairs:
        """Return the chain response of the links."""
        links = given.adjacency.tocoo()
        costs = self.cost * links.data / links.data.mean()
        network = Network(links.shape[0], links.row.astype(np.int64), links.col.astype(np.int64), costs, given.directed)
        negatives = Negatives(self.n_negatives(given), self.c_negative, self.fresh_negatives)
        return ChainPairs(
            network,
            negatives,
            self.make_loss(),
            form=self._weights_form(given.directed),
            rank=self.rank,
            nu=self.nu,
            mean=mean,
            weights_every=self.weights_every,
            exact=exact,
        )

    def carry(self, given: GivenLinks, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return the weights between topics and their form."""
        return Carried(weights, form=self._weights_form(given.directed))

    def expected(self, carried: Carried, given: GivenLinks) -> np.ndarray:
        """Return the weights between topics; reject weights of another form, which are not comparable."""
        form = self._weights_form(given.directed)
        if carried.form == form:
            return carried.weights
        if "diagonal" in (carried.form, form):
            raise PlaitError(
                f"weights of links were {carried.form} in earlier slices and are {form} now; use the same form= "
                "('full' or 'diagonal') in all slices"
            )
        before, now = ("no direction", "a direction") if form == "full" else ("a direction", "no direction")
        raise PlaitError(
            f"links had {before} in earlier slices and have {now} now; set directed=True or directed=False, so that "
            "all slices are read the same way",
            parameter="directed",
        )

    def _by_form(self, defaults: dict[str, float]) -> float:
        """Return the default of a parameter for this form."""
        return defaults["low_rank" if self.rank else self.form]

    def _check_size(self, n_topics: int, directed: bool) -> None:
        """Reject more weights than can be drawn."""
        form, rank = self._weights_form(directed), self.rank
        if rank is not None and rank > n_topics:
            raise PlaitError(
                f"form={self.form!r} has a higher rank than {n_topics} topics allow; use a rank far below the number "
                "of topics, or form='full'",
                parameter="form",
            )
        size = n_weights(n_topics, form == "symmetric") if rank is None else n_topics * rank
        if form == "diagonal" or size <= _MAX_WEIGHTS:
            return
        if rank is not None:
            raise PlaitError(
                f"{n_topics:,} topics have {size:,} weights per factor with form={self.form!r}, more than the maximum "
                f"of {_MAX_WEIGHTS:,}; use at most low_rank({_MAX_WEIGHTS // n_topics})",
                parameter="form",
            )
        raise PlaitError(
            f"{n_topics} topics have {size:,} weights, more than the maximum of {_MAX_WEIGHTS:,}; use at most "
            "90 topics (126 with directed=False), or form='low_rank(8)' or 'diagonal'",
            parameter="n_topics",
        )

    def _weights_form(self, directed: bool) -> str:
        if self.form == "diagonal":
            return "diagonal"
        return "full" if directed else "symmetric"
