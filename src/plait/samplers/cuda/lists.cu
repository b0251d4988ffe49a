// Topics of words as lists, made of the counts: engine/topic_lists.py. A list is padded to whole quads of blocks: lane l
// has the entries of four blocks, 16 b + l, one after the other.
//
// Defined by the caller: ENTRY (the type of an entry), COUNT_BITS (its lower bits, which have the count).

#include "lanes.cuh"

#define QUAD 64 // entries of four blocks

// Where entry number e of a list stands.
__device__ __forceinline__ long long place_in_list(int entry) {
    int block = entry / LANES;
    return block / 4 * QUAD + entry % LANES * 4 + block % 4;
}

// Writes the number of topics of each word, and the same padded to whole units; one warp per word.
extern "C" __global__ void count_lists(
    int n_words, int width, const int *counted, int unit, int *sizes, int *padded) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words) return;
    const int *row = counted + static_cast<long long>(word) * width;
    int size = 0;
    for (int begin = 0; begin < width; begin += 32) {
        bool held = begin + lane < width && row[begin + lane] > 0;
        size += __popc(__ballot_sync(0xffffffffu, held));
    }
    if (lane == 0) {
        sizes[word] = size;
        padded[word] = (size + unit - 1) / unit * unit;
    }
}

// Writes the lists as the chain has them: topics and counts in the order of entries, padded with topic `width`.
extern "C" __global__ void fill_lists(
    int n_words, int width, const int *counted, const long long *starts, unsigned short *topics, int *counts) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words) return;
    const int *row = counted + static_cast<long long>(word) * width;
    long long start = starts[word];
    int size = 0;
    for (int begin = 0; begin < width; begin += 32) {
        int count = begin + lane < width ? row[begin + lane] : 0;
        unsigned held = __ballot_sync(0xffffffffu, count > 0);
        if (count > 0) {
            long long place = start + size + __popc(held & ((1u << lane) - 1u));
            topics[place] = static_cast<unsigned short>(begin + lane);
            counts[place] = count;
        }
        size += __popc(held);
    }
    for (long long place = start + size + lane; place < starts[word + 1]; place += 32) {
        topics[place] = static_cast<unsigned short>(width);
        counts[place] = 0;
    }
}

// Writes the lists as a sweep reads them, an entry with its topic and its count by lanes, and a copy of the counts, which
// the sweep changes.
extern "C" __global__ void pack_lists(
    int n_words, int width, const int *counted, const long long *starts, ENTRY *entries, float *frozen) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words) return;
    long long row = static_cast<long long>(word) * width;
    long long start = starts[word];
    int size = 0;
    for (int begin = 0; begin < width; begin += 32) {
        int count = begin + lane < width ? counted[row + begin + lane] : 0;
        unsigned held = __ballot_sync(0xffffffffu, count > 0);
        if (begin + lane < width) frozen[row + begin + lane] = static_cast<float>(count);
        if (count > 0) {
            int entry = size + __popc(held & ((1u << lane) - 1u));
            entries[start + place_in_list(entry)] = static_cast<ENTRY>(begin + lane) << COUNT_BITS | static_cast<ENTRY>(count);
        }
        size += __popc(held);
    }
    if (word == n_words - 1 && lane < LANES) frozen[row + width + lane] = 0.0f; // read, but without effect
    for (int entry = size + lane; start + entry < starts[word + 1]; entry += 32)
        entries[start + place_in_list(entry)] = static_cast<ENTRY>(width) << COUNT_BITS;
}

// Writes cumulative α_k n_kw / (n_k + Σβ) within each list of at least `least` topics, in the order of its entries; one
// warp per word. Terms are computed by all lanes and added one after the other.
extern "C" __global__ void sum_lists(
    int n_words, int least, const long long *starts, const int *sizes, const ENTRY *entries, const float *base,
    double *list_sums) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words || sizes[word] < least) return;
    long long start = starts[word];
    int size = sizes[word];
    double running = 0.0;
    for (int begin = 0; begin < size; begin += 32) {
        int entry = begin + lane;
        double term = 0.0, own = 0.0;
        if (entry < size) {
            ENTRY found = entries[start + place_in_list(entry)];
            double counted = static_cast<double>(found & ((static_cast<ENTRY>(1) << COUNT_BITS) - 1));
            term = static_cast<double>(base[found >> COUNT_BITS]) * counted;
        }
        int end = min(32, size - begin);
        for (int other = 0; other < end; other++) {
            running = running + __shfl_sync(0xffffffffu, term, other);
            own = other == lane ? running : own;
        }
        if (entry < size) list_sums[start + entry] = own;
    }
}
