// Sums over documents and values of observations: responses/linear/regression.py, in its order of additions.
//
// A block of threads adds up one row of the products, Σ precision x_j x_k of one topic k with all topics j ≤ k, and
// Σ pull x_k, over one chunk of documents and for some labels. The totals are in shared memory. A warp has some of the
// totals and takes the documents that hold k in their order, so that every total is a sum in the order of documents. With
// few labels, a warp has some of them, and its lanes are topics; with many, it has some topics j, and its lanes are labels,
// which lie together: then no two lanes wait for the same bank of shared memory.
//
// Defined by the caller: WARPS per block, TILE (labels per block), BY_LABEL (1: lanes are labels).

#define THREADS (32 * WARPS)
#define EVERY_LANE 0xffffffffu

// Observations of documents. COMPLETE: every document has one of each label, in the order of labels.
struct Labelled {
    const long long *starts;
    const int *labels;
    const double *pull;
    const double *precision;
    int n_labels;
    int complete;
};

// Topics of documents with their shares n_dk / N_d, in the order of topics.
struct TopicShares {
    const long long *starts;
    const int *topics;
    const double *shares;
};

// What is read of a document that holds the topic, before its turn: the terms of one lane.
struct Held {
    long long begin; // of its topics
    long long document;
    int place;       // of the topic among them
    int other;       // topic of the lane
    double share, other_share;
    double precision, pull; // of the lane's label, the first 32 of the warp, if COMPLETE
};

// Reads a document that a lane has found: where its topics begin, and how many of them are before the topic.
__device__ __forceinline__ Held read_document(
    const Labelled &given, const TopicShares &lists, long long document, long long begins, int places, int from,
    int first_label, int n_own) {
    Held held;
    held.document = document;
    held.begin = __shfl_sync(EVERY_LANE, begins, from);
    held.place = __shfl_sync(EVERY_LANE, places, from);
    int lane = threadIdx.x % 32;
    bool there = lane <= held.place;
    held.share = lists.shares[held.begin + held.place];
    held.other = there ? lists.topics[held.begin + lane] : 0;
    held.other_share = there ? lists.shares[held.begin + lane] : 0.0;
    int own = threadIdx.x / 32 + WARPS * lane;
    bool known = !BY_LABEL && given.complete && own < n_own;
    long long observation = known ? document * given.n_labels + first_label + own : 0;
    held.precision = known ? given.precision[observation] : 0.0;
    held.pull = known ? given.pull[observation] : 0.0;
    return held;
}

// Adds one document that holds `topic` to the totals of the topics of this warp; lanes are labels.
__device__ __forceinline__ void add_by_label(
    const Labelled &given, const TopicShares &lists, const Held &held, int topic, int first_label, int n_own,
    double *totals) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long first = given.complete ? held.document * given.n_labels + first_label : given.starts[held.document];
    long long last = given.complete ? first + n_own : given.starts[held.document + 1];
    for (long long begin = first; begin < last; begin += 32) {
        long long observation = begin + lane;
        int own = -1;
        if (observation < last)
            own = given.complete ? static_cast<int>(observation - first) : given.labels[observation] - first_label;
        bool known = own >= 0 && own < n_own;
        double precision = known ? given.precision[observation] : 0.0;
        for (int from = 0; from <= held.place; from += 32) {
            int number = from + lane;
            bool there = number <= held.place;
            int other = from == 0 ? held.other : there ? lists.topics[held.begin + number] : 0;
            double other_share = from == 0 ? held.other_share : there ? lists.shares[held.begin + number] : 0.0;
            double product = held.share * other_share;
            unsigned mine = __ballot_sync(EVERY_LANE, there && other % WARPS == warp);
            while (mine) {
                int at = __ffs(mine) - 1;
                mine &= mine - 1;
                double *total = totals + __shfl_sync(EVERY_LANE, other, at) * n_own + own;
                double added = __shfl_sync(EVERY_LANE, product, at) * precision;
                if (known) *total = *total + added;
            }
        }
        // Σ pull x stands after the products.
        if (known && topic % WARPS == warp) {
            double *total = totals + (topic + 1) * n_own + own;
            *total = *total + held.share * given.pull[observation];
        }
    }
    __syncwarp(); // a label may be another lane's in the next document
}

// Adds one document that holds `topic` to the totals of the labels of this warp; lanes are topics.
__device__ __forceinline__ void add_document(
    const Labelled &given, const TopicShares &lists, const Held &held, int topic, int first_label, int n_own, int stride,
    double *totals) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, place = held.place;
    long long begin = held.begin, document = held.document;
    double share = held.share;
    long long first = given.complete ? document * given.n_labels : given.starts[document];
    long long last = given.complete ? first + given.n_labels : given.starts[document + 1];
    for (int from = 0; from <= place; from += 32) {
        int number = from + lane;
        bool there = number <= place;
        int other = from == 0 ? held.other : there ? lists.topics[begin + number] : 0;
        double product = share * (from == 0 ? held.other_share : there ? lists.shares[begin + number] : 0.0);
        if (given.complete) {
            for (int own = warp; own < n_own; own += WARPS) {
                double precision = __shfl_sync(EVERY_LANE, held.precision, own / WARPS % 32);
                if (own >= 32 * WARPS) precision = given.precision[first + first_label + own];
                if (there) totals[own * stride + other] = totals[own * stride + other] + product * precision;
            }
        } else {
            for (long long observation = first; observation < last; observation++) {
                int own = given.labels[observation] - first_label;
                if (own < 0 || own >= n_own || own % WARPS != warp) continue;
                double precision = given.precision[observation];
                if (there) totals[own * stride + other] = totals[own * stride + other] + product * precision;
            }
        }
    }
    // The label of a lane, for Σ pull x: it stands after the products.
    if (given.complete) {
        for (int own = warp + WARPS * lane; own < n_own; own += WARPS * 32) {
            double *total = totals + own * stride + topic + 1;
            double pull = own < 32 * WARPS ? held.pull : given.pull[first + first_label + own];
            *total = *total + share * pull;
        }
    } else {
        for (long long observation = first + lane; observation < last; observation += 32) {
            int own = given.labels[observation] - first_label;
            if (own < 0 || own >= n_own || own % WARPS != warp) continue;
            double *total = totals + own * stride + topic + 1;
            *total = *total + share * given.pull[observation];
        }
    }
    __syncwarp();
}

// Writes the sums of each chunk: `products` has chunks × pairs of topics × labels, `moments` chunks × topics × labels.
extern "C" __global__ void __launch_bounds__(THREADS) sum_statistics(
    int n_topics, int n_tiles, const long long *edges, long long n_documents, const unsigned *held,
    const long long *list_starts, const int *list_topics, const double *shares, const long long *starts,
    const int *labels, const double *pull, const double *precision, int n_labels, int complete, double *products,
    double *moments) {
    extern __shared__ double totals[];
    // The last topics have the longest rows: they come first.
    int topic = n_topics - 1 - static_cast<int>(blockIdx.x % n_topics);
    int tile = static_cast<int>(blockIdx.x / n_topics % n_tiles);
    long long chunk = blockIdx.x / n_topics / n_tiles;
    int first_label = tile * TILE, n_own = min(TILE, n_labels - first_label), stride = topic + 2;
    for (int place = threadIdx.x; place < n_own * stride; place += 32 * WARPS) totals[place] = 0.0;
    __syncthreads();
    Labelled given = {starts, labels, pull, precision, n_labels, complete};
    TopicShares lists = {list_starts, list_topics, shares};
    for (long long from = edges[chunk]; from < edges[chunk + 1]; from += 32) {
        long long mine = from + threadIdx.x % 32;
        bool inside = mine < edges[chunk + 1];
        unsigned own = inside ? held[topic / 32 * n_documents + mine] : 0u;
        bool has = own >> (topic % 32) & 1u;
        unsigned found = __ballot_sync(EVERY_LANE, has);
        if (!found) continue;
        long long begins = has ? list_starts[mine] : 0;
        int places = __popc(own & ((1u << (topic % 32)) - 1u)); // topics of the document before this one
        for (int word = 0; word < topic / 32; word++) places += has ? __popc(held[word * n_documents + mine]) : 0;
        // The next document is read while the present one is added.
        int lane = __ffs(found) - 1;
        Held next = read_document(given, lists, from + lane, begins, places, lane, first_label, n_own);
        while (found) {
            Held present = next;
            found &= found - 1;
            if (found) {
                lane = __ffs(found) - 1;
                next = read_document(given, lists, from + lane, begins, places, lane, first_label, n_own);
            }
            if (BY_LABEL) {
                add_by_label(given, lists, present, topic, first_label, n_own, totals);
            } else {
                add_document(given, lists, present, topic, first_label, n_own, stride, totals);
            }
        }
    }
    __syncthreads();
    long long n_pairs = static_cast<long long>(n_topics) * (n_topics + 1) / 2;
    long long row = static_cast<long long>(topic) * (topic + 1) / 2;
    for (int place = threadIdx.x; place < n_own * stride; place += 32 * WARPS) {
        int other = place / n_own, own = place % n_own;
        double total = totals[BY_LABEL ? place : own * stride + other];
        if (other <= topic) {
            products[(chunk * n_pairs + row + other) * n_labels + first_label + own] = total;
        } else {
            moments[(chunk * n_topics + topic) * n_labels + first_label + own] = total;
        }
    }
}

// Adds the sums of the chunks of each shard, and those of the shards, in their order; `chunks` has the first chunk of
// each shard. With `begun`, they are added to the totals.
extern "C" __global__ void add_chunks(
    long long size, int n_shards, const int *chunks, int begun, const double *parts, double *totals) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; at < size; at += step) {
        double total = begun ? totals[at] : 0.0;
        for (int shard = 0; shard < n_shards; shard++) {
            double own = parts[chunks[shard] * size + at];
            for (int chunk = chunks[shard] + 1; chunk < chunks[shard + 1]; chunk++) own = own + parts[chunk * size + at];
            total = begun || shard > 0 ? total + own : own;
        }
        totals[at] = total;
    }
}

// Writes the value u · z̄_d of every observation; one warp per document. `weights` has topics × labels.
extern "C" __global__ void project_documents(
    int n_documents, const long long *list_starts, const int *list_topics, const double *shares,
    const long long *starts, const int *labels, const double *weights, int n_labels, double *values) {
    int lane = threadIdx.x % 32;
    int step = static_cast<int>(gridDim.x * (blockDim.x / 32));
    for (int document = (blockIdx.x * blockDim.x + threadIdx.x) / 32; document < n_documents; document += step) {
        for (long long observation = starts[document] + lane; observation < starts[document + 1]; observation += 32) {
            int label = labels[observation];
            double total = 0.0;
            for (long long place = list_starts[document]; place < list_starts[document + 1]; place++)
                total = total + shares[place] * weights[static_cast<long long>(list_topics[place]) * n_labels + label];
            values[observation] = total;
        }
    }
}
