// Topics of words as lists, made of the counts: engine/topic_lists.py. A list is padded to whole quads of blocks: lane l
// has the entries of four blocks, 16 b + l, one after the other.

#include "lanes.cuh"

#define QUAD 64 // entries of four blocks

// Where entry number e of a list stands.
__device__ __forceinline__ long long place_in_list(int entry) {
    int block = entry / LANES;
    return block / 4 * QUAD + entry % LANES * 4 + block % 4;
}

// Writes the number of topics of each word; one warp per word.
extern "C" __global__ void count_lists(int n_words, int width, const int *counted, int *sizes) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words) return;
    const int *row = counted + static_cast<long long>(word) * width;
    int size = 0;
    for (int begin = 0; begin < width; begin += 32) {
        bool held = begin + lane < width && row[begin + lane] > 0;
        size += __popc(__ballot_sync(0xffffffffu, held));
    }
    if (lane == 0) sizes[word] = size;
}

// Writes the lists; with `plain`, entries stand in their order, otherwise by lanes, and counts are float32.
extern "C" __global__ void fill_lists(
    int n_words, int width, const int *counted, const long long *starts, unsigned short *topics, float *counts,
    int *plain) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (word >= n_words) return;
    const int *row = counted + static_cast<long long>(word) * width;
    long long start = starts[word];
    int size = 0;
    for (int begin = 0; begin < width; begin += 32) {
        int count = begin + lane < width ? row[begin + lane] : 0;
        unsigned held = __ballot_sync(0xffffffffu, count > 0);
        if (count > 0) {
            int entry = size + __popc(held & ((1u << lane) - 1u));
            long long place = start + (plain != nullptr ? entry : place_in_list(entry));
            topics[place] = static_cast<unsigned short>(begin + lane);
            if (plain != nullptr) {
                plain[place] = count;
            } else {
                counts[place] = static_cast<float>(count);
            }
        }
        size += __popc(held);
    }
    for (int entry = size + lane; start + entry < starts[word + 1]; entry += 32) {
        long long place = start + (plain != nullptr ? entry : place_in_list(entry));
        topics[place] = static_cast<unsigned short>(width);
        if (plain != nullptr) {
            plain[place] = 0;
        } else {
            counts[place] = 0.0f;
        }
    }
}

// Writes cumulative α_k n_kw / (n_k + Σβ) within each list of at least `least` topics, in the order of its entries.
extern "C" __global__ void sum_lists(
    int n_words, int least, const long long *starts, const int *sizes, const unsigned short *topics, const float *counts,
    const float *base, double *list_sums) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= n_words || sizes[word] < least) return;
    long long start = starts[word];
    double running = 0.0;
    for (int entry = 0; entry < sizes[word]; entry++) {
        long long place = start + place_in_list(entry);
        running += static_cast<double>(base[topics[place]]) * static_cast<double>(counts[place]);
        list_sums[start + entry] = running;
    }
}
