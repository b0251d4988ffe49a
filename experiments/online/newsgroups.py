"""Detection of a newsgroup that appears late: `emerging` on real words.

    PLAIT_DATA=… python experiments/online/newsgroups.py --results newsgroups.jsonl
    PLAIT_DATA=… python experiments/online/newsgroups.py --groups 3                                       a quick run

Postings of 20 Newsgroups ("20news-bydate-matlab") come in random order, in six slices, so that changes are random. One
group is held back until the sixth slice, of which it then is a tenth or a fifth. Words are those of at least ten and at
most a tenth of the postings; 30 topics, OnlineLDA's defaults. Figures are the largest novelty of any topic before that
slice, and in that slice the novelty of topics at least half of whose new words are more frequent in the group than in
all others. AlSumait et al. (2010) have no such experiment.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import scipy.sparse as sparse
from common import Figures, Results, Setting, base_parser, folder, print_table

import plait
from plait.models.online.answers import NEW_SHARE

N_SLICES = 6
SHARES = [0.1, 0.2]
THRESHOLDS = [0.04, 0.06, 0.08, 0.1, NEW_SHARE, 0.14, 0.16]


@functools.cache
def load() -> tuple[plait.Corpus, np.ndarray]:
    """Return the postings and their groups."""
    corpus = plait.read_corpus(folder("20news_matlab"))
    corpus = corpus.filter_words(min_df=10, max_df=0.1)
    return corpus, np.array([names[0] for names in corpus.labels or ()])


def measure(setting: Setting) -> Figures:
    """Return the largest novelty before a group appears, and that of topics whose new words are the group's."""
    corpus, groups = load()
    rng = np.random.default_rng(setting["seed"])
    coming = groups == setting["group"]
    others, own = rng.permutation(np.flatnonzero(~coming)), rng.permutation(np.flatnonzero(coming))
    frequency = np.array([_frequency(corpus, coming), _frequency(corpus, ~coming)])
    column_of = {word: column for column, word in enumerate(corpus.vocabulary)}
    model = plait.OnlineLDA(setting["topics"], random_state=setting["seed"], n_jobs=1, verbose=False)
    size = setting["postings"]
    before: list[float] = []
    theirs = [0.0]
    for number in range(N_SLICES):
        last = number == N_SLICES - 1
        n_own = round(setting["share"] * size) if last else 0
        rows = np.concatenate([others[number * size : (number + 1) * size - n_own], own[:n_own]])
        model.partial_fit(corpus.select(rows))
        if not number:
            continue
        topics = model.emerging(0.0)
        if not last:
            before.append(max(topic.novelty for topic in topics))
            continue
        for topic in topics:
            columns = [column_of[word] for word in topic.words]
            if columns and np.mean(frequency[0, columns] > frequency[1, columns]) >= 0.5:
                theirs.append(topic.novelty)
    return {"before": max(before), "theirs": max(theirs)}


def _frequency(corpus: plait.Corpus, chosen: np.ndarray) -> np.ndarray:
    counts = np.asarray(sparse.csr_array(corpus.counts)[np.flatnonzero(chosen)].sum(axis=0), dtype=np.float64).ravel()
    return counts / counts.sum()


def main() -> None:
    parser = base_parser(__doc__ or "", [30])
    parser.add_argument("--groups", type=int, default=20, help="number of groups, by name (20)")
    parser.add_argument("--postings", type=int, nargs="+", default=[400, 1500], help="postings per slice (400 1500)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    options = parser.parse_args()
    groups, results = sorted(set(load()[1]))[: options.groups], Results(options.results)
    for n_topics, postings in itertools.product(options.topics, options.postings):
        settings = [
            {"group": str(group), "share": share, "topics": n_topics, "postings": postings, "seed": seed}
            for share in SHARES
            for seed, group in enumerate(groups)
        ]
        figures = results.get_all(settings, measure, options.jobs)
        halves = [figures[place * len(groups) : (place + 1) * len(groups)] for place in range(len(SHARES))]
        rows = [
            [f"{least:g}", f"{np.mean([one['before'] >= least for one in halves[0]]):.0%}"]
            + [f"{np.mean([one['theirs'] >= least for one in half]):.0%}" for half in halves]
            for least in THRESHOLDS
        ]
        heads = ["novelty", "alarms before: streams", *(f"group found, {share:.0%}" for share in SHARES)]
        where = f"{n_topics} topics, slices of {postings} postings, {len(groups)} streams of each kind"
        print_table(f"Newsgroups that appear late; {where}", heads, rows)
        rows = [[group, *(f"{half[place]['theirs']:.2f}" for half in halves)] for place, group in enumerate(groups)]
        print_table(f"Novelty of the group's topic; {where}", ["group", *(f"{share:.0%}" for share in SHARES)], rows)


if __name__ == "__main__":
    main()
