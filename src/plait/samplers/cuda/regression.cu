// Sums over documents and values of observations: responses/linear/regression.py, in its order of additions.
//
// A block of threads adds up one row of the products, Σ precision x_j x_k of one topic k with all topics j ≤ k, and
// Σ pull x_k, over one chunk of documents and for some labels. The totals are in shared memory. A warp has some of the
// labels and takes the documents that hold k in their order, so that every total is a sum in the order of documents.
//
// Defined by the caller: WARPS per block, TILE (labels per block).

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

// Adds one document that holds `topic` to the totals of the labels of this warp.
__device__ __forceinline__ void add_document(
    const Labelled &given, const TopicShares &lists, long long document, int topic, int first_label, int n_own,
    int stride, double *totals) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long begin = lists.starts[document];
    int size = static_cast<int>(lists.starts[document + 1] - begin);
    int place = 0; // of the topic in the list
    for (int from = 0; from < size; from += 32) {
        unsigned before = __ballot_sync(EVERY_LANE, from + lane < size && lists.topics[begin + from + lane] < topic);
        place += __popc(before);
        if (before != EVERY_LANE) break;
    }
    double share = lists.shares[begin + place];
    long long first = given.complete ? document * given.n_labels : given.starts[document];
    long long last = given.complete ? first + given.n_labels : given.starts[document + 1];
    for (int from = 0; from <= place; from += 32) {
        int number = from + lane;
        bool there = number <= place;
        int other = there ? lists.topics[begin + number] : 0;
        double product = there ? share * lists.shares[begin + number] : 0.0;
        if (given.complete) {
            for (int own = warp; own < n_own; own += WARPS) {
                double precision = given.precision[first + first_label + own];
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
            *total = *total + share * given.pull[first + first_label + own];
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
    const unsigned *words = held + topic / 32 * n_documents;
    for (long long from = edges[chunk]; from < edges[chunk + 1]; from += 32) {
        long long mine = from + threadIdx.x % 32;
        bool has = mine < edges[chunk + 1] && (words[mine] >> (topic % 32) & 1u);
        unsigned found = __ballot_sync(EVERY_LANE, has);
        while (found) {
            int lane = __ffs(found) - 1;
            found &= found - 1;
            add_document(given, lists, from + lane, topic, first_label, n_own, stride, totals);
        }
    }
    __syncthreads();
    long long n_pairs = static_cast<long long>(n_topics) * (n_topics + 1) / 2;
    long long row = static_cast<long long>(topic) * (topic + 1) / 2;
    for (int place = threadIdx.x; place < n_own * stride; place += 32 * WARPS) {
        int other = place / n_own, own = place % n_own;
        double total = totals[own * stride + other];
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
