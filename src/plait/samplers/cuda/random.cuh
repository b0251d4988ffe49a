// Keyed random numbers: samplers/random.py.
#pragma once

#include "lanes.cuh"

#define STEP 0x9E3779B97F4A7C15ull

__device__ __forceinline__ key_type scramble(key_type bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

__device__ __forceinline__ key_type document_key(key_type key, long long document) {
    return scramble(key + static_cast<key_type>(document) * STEP);
}

__device__ __forceinline__ float uniform(key_type key, long long position) {
    return static_cast<float>(scramble(key + static_cast<key_type>(position) * STEP) >> 40) * 5.9604644775390625e-8f;
}
