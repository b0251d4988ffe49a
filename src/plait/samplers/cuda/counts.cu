// Counts of tokens, and tables in the order of lanes. Sums of integers: the order of atomics cannot change them.

#include "lanes.cuh"

// Counts the topics of tokens per word and in total; the tables are in the order of topics.
extern "C" __global__ void count_tokens(
    long long n_tokens, const int *words, const TOPIC *topics, int width, int *counted, unsigned long long *totals) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long token = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; token < n_tokens; token += step) {
        int topic = topics[token];
        if (counted != nullptr) atomicAdd(counted + static_cast<long long>(words[token]) * width + topic, 1);
        atomicAdd(totals + topic, 1ull);
    }
}

// Writes counts, rows in the order of topics, as float32 rows in the order of lanes.
extern "C" __global__ void spread_counts(long long size, const int *counted, float *table) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; at < size; at += step) {
        int place = static_cast<int>(at % WIDTH);
        table[at] = static_cast<float>(counted[at - place + topic_at(place)]);
    }
}

// The same for numbers that are float32 already.
extern "C" __global__ void spread_numbers(long long size, const float *given, float *table) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; at < size; at += step) {
        int place = static_cast<int>(at % WIDTH);
        table[at] = given[at - place + topic_at(place)];
    }
}

// Counts the topics of each document; one warp per document, with a tally in shared memory. Without `found`, the
// number of topics of each document is written to `sizes`, and which they are to `held`, one bit per topic, words of 32
// topics × documents; with it, topics, counts and shares n_dk / N_d from `starts` on.
extern "C" __global__ void count_documents(
    int n_documents, const long long *offsets, const TOPIC *topics, int width, int *sizes, unsigned *held,
    const long long *starts, int *found, int *counts, double *shares) {
    extern __shared__ int tally[];
    int lane = threadIdx.x;
    for (int document = blockIdx.x; document < n_documents; document += gridDim.x) {
        for (int topic = lane; topic < width; topic += 32) tally[topic] = 0;
        __syncwarp();
        for (long long token = offsets[document] + lane; token < offsets[document + 1]; token += 32)
            atomicAdd(tally + topics[token], 1);
        __syncwarp();
        int size = 0;
        double length = static_cast<double>(offsets[document + 1] - offsets[document]);
        for (int begin = 0; begin < width; begin += 32) {
            int count = begin + lane < width ? tally[begin + lane] : 0;
            unsigned there = __ballot_sync(0xffffffffu, count > 0);
            if (found != nullptr && count > 0) {
                long long place = starts[document] + size + __popc(there & ((1u << lane) - 1u));
                found[place] = begin + lane;
                counts[place] = count;
                shares[place] = static_cast<double>(count) / length;
            }
            if (found == nullptr && lane == 0) held[begin / 32 * static_cast<long long>(n_documents) + document] = there;
            size += __popc(there);
        }
        if (found == nullptr && lane == 0) sizes[document] = size;
        __syncwarp();
    }
}

// Adds up numbers of documents per run of documents, in a fixed order: one block of 1,024 threads per run.
extern "C" __global__ void sum_runs(const double *numbers, const long long *edges, double *sums) {
    __shared__ double partial[1024];
    double total = 0.0;
    for (long long place = edges[blockIdx.x] + threadIdx.x; place < edges[blockIdx.x + 1]; place += 1024) total += numbers[place];
    partial[threadIdx.x] = total;
    __syncthreads();
    for (int size = 512; size > 0; size /= 2) {
        if (threadIdx.x < size) partial[threadIdx.x] += partial[threadIdx.x + size];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// Writes the word of every token from the distinct words of documents and their counts; `ends` are tokens after each.
extern "C" __global__ void repeat_words(long long n_entries, const int *words, const long long *ends, int *repeated) {
    long long entry = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (entry >= n_entries) return;
    for (long long token = entry > 0 ? ends[entry - 1] : 0; token < ends[entry]; token++) repeated[token] = words[entry];
}
