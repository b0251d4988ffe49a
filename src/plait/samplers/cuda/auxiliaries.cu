// Auxiliary variables of the hinge loss: responses/losses/hinge.py, portable.py and inverse_gaussian.py, term by term.

#define BLOCKS 1

#include "random.cuh"

#define LEAST 1e-300 // in the place of 0, whose inverse is not a number

// The float64 in [0, 1), of 53 random bits, that belongs to a position: samplers/random.py.
__device__ __forceinline__ double uniform64(key_type key, long long position) {
    return static_cast<double>(scramble(key + static_cast<key_type>(position) * STEP) >> 11) * 1.1102230246251565e-16;
}

__device__ __forceinline__ double logarithm(double value) {
    long long bits = __double_as_longlong(value);
    double exponent = static_cast<double>((bits >> 52) - 1023);
    double fraction = __longlong_as_double((bits & ((1ll << 52) - 1)) | 1023ll << 52);
    bool above = fraction > 1.4142135623730951;
    fraction = above ? 0.5 * fraction : fraction;
    exponent = above ? exponent + 1.0 : exponent;
    double ratio = (fraction - 1.0) / (fraction + 1.0);
    double square = ratio * ratio;
    double series = square * (1.0 / 17.0) + 1.0 / 15.0;
    series = series * square + 1.0 / 13.0;
    series = series * square + 1.0 / 11.0;
    series = series * square + 1.0 / 9.0;
    series = series * square + 1.0 / 7.0;
    series = series * square + 1.0 / 5.0;
    series = series * square + 1.0 / 3.0;
    series = series * square + 1.0;
    return exponent * 0.6931471805599453 + 2.0 * (ratio * series);
}

__device__ __forceinline__ double sine_of_quarter(double share) {
    double angle = 1.5707963267948966 * share;
    double square = angle * angle;
    double series = square * 2.8114572543455206e-15 - 7.647163731819816e-13;
    series = series * square + 1.6059043836821613e-10;
    series = series * square - 2.505210838544172e-08;
    series = series * square + 2.7557319223985893e-06;
    series = series * square - 0.0001984126984126984;
    series = series * square + 0.008333333333333333;
    series = series * square - 0.16666666666666666;
    series = series * square + 1.0;
    return angle * series;
}

__device__ __forceinline__ double half_square(double first, double second) {
    double sine = sine_of_quarter(second);
    return -logarithm(1.0 - first) * (sine * sine);
}

__device__ __forceinline__ double not_zero(double value) { return value < LEAST ? LEAST : value; }

__device__ __forceinline__ double inverse_gaussian(double inverse_mean, double half, double uniform) {
    double smaller = 1.0 / not_zero(inverse_mean + half + sqrt(half * (half + 2.0 * inverse_mean)));
    double ratio = inverse_mean * smaller;
    double larger = 1.0 / not_zero(inverse_mean * ratio);
    return uniform * (1.0 + ratio) <= 1.0 ? smaller : larger;
}

// Draws the auxiliary variable of every observation of a shard and writes pull and precision; `costs` has the cost of a no
// and of a yes of every label.
extern "C" __global__ void draw_hinge(
    long long size, key_type key, int shard, double ell, const double *values, const signed char *signs,
    const int *labels, const double *costs, int n_labels, double *pull, double *precision) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    key_type own_key = document_key(key, shard);
    for (long long place = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; place < size; place += step) {
        double target = static_cast<double>(signs[place]);
        double cost = costs[(signs[place] > 0 ? n_labels : 0) + labels[place]];
        double half = half_square(uniform64(own_key, 3 * place), uniform64(own_key, 3 * place + 1));
        double uniform = uniform64(own_key, 3 * place + 2);
        double inverse = inverse_gaussian(cost * fabs(ell - target * values[place]), half, uniform);
        pull[place] = cost * target * (1.0 + cost * ell * inverse);
        precision[place] = cost * cost * inverse;
    }
}
