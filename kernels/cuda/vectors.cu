// Kernels on vectors with one element for each parameter. A vector of 320,258 doubles has 2.6 MB. A
// kernel reads and writes two or three vectors through the level-2 cache, which takes a few
// microseconds, about as long as its launch.
//
// Every arithmetic operation is a separate IEEE 754 double operation with its own rounding. For
// this, NVRTC gets the option --fmad=false and the C compiler -ffp-contract=off.

#define WEIGHTS_PER_DISC 262144.0
#define WEIGHT_LIMIT 16777215.0

// Converts a double to an integer like a cast in Rust: NaN becomes 0, and a number out of range
// becomes the nearest integer in range.
INLINE i32 to_integer(double value)
{
    if (!(value == value))
        return 0;
    if (value >= 2147483647.0)
        return 2147483647;
    if (value <= -2147483648.0)
        return -2147483647 - 1;
    return (i32)value;
}

// Converts a weight in discs to a fixed-point number in 2^-18 disc, limited to the range of
// weights. `rint` rounds halves to even.
INLINE i32 rounded_weight(double weight)
{
    double rounded = rint(weight * WEIGHTS_PER_DISC);
    rounded = rounded > WEIGHT_LIMIT ? WEIGHT_LIMIT : rounded;
    return to_integer(rounded < -WEIGHT_LIMIT ? -WEIGHT_LIMIT : rounded);
}

#define DOT_CHUNK 4096
#define DOT_LANES 256

// Computes the dot product of each chunk of 4096 elements in a block of 256 threads. Thread l adds
// the products l, l + 256, … in order. Then, eight times, half of the threads add the sums of the
// other half to their own. The order of additions does not depend on the number of blocks. The
// caller adds the sums of the chunks in order.
KERNEL dot_chunks(const double *left, const double *right, u32 count, double *sums)
{
    __shared__ double lanes[DOT_LANES];
    const u32 lane = threadIdx.x;
    const u32 begin = blockIdx.x * DOT_CHUNK;
    const u32 end = begin + DOT_CHUNK < count ? begin + DOT_CHUNK : count;
    double sum = 0.0;
    for (u32 at = begin + lane; at < end; at += DOT_LANES)
        sum += left[at] * right[at];
    lanes[lane] = sum;
    __syncthreads();
    for (u32 half = DOT_LANES / 2; half > 0; half /= 2) {
        if (lane < half)
            lanes[lane] += lanes[lane + half];
        __syncthreads();
    }
    if (lane == 0)
        sums[blockIdx.x] = lanes[0];
}

// Computes the largest absolute value of a vector of doubles. `values` and `largest` are the bit
// patterns of doubles. The patterns of positive doubles have the same order as the doubles, with
// NaN above infinity.
KERNEL max_abs(const u64 *values, u32 count, u64 *largest)
{
    u64 found = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const u64 size = values[at] & 0x7FFFFFFFFFFFFFFFull;
        found = size > found ? size : found;
    }
    atomicMax(largest, found);
}

// sum <- sum + factor * other
KERNEL add_scaled(double *sum, double factor, const double *other, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        sum[at] = sum[at] + factor * other[at];
}

// vector <- other + factor * vector
KERNEL scale_and_add(double *vector, double factor, const double *other, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        vector[at] = other[at] + factor * vector[at];
}

// quotient <- numerator / denominator
KERNEL divide(const double *numerator, const double *denominator, double *quotient, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        quotient[at] = numerator[at] / denominator[at];
}

// scaled <- unit * sums
KERNEL scale_sums(const i64 *sums, double unit, double *scaled, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        scaled[at] = unit * (double)sums[at];
}

// fixed <- weights in 2^-18 disc
KERNEL round_weights(const double *weights, i32 *fixed, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        fixed[at] = rounded_weight(weights[at]);
}

// fixed <- direction * scale, rounded; direction <- fixed / scale
KERNEL round_direction(double *direction, double scale, i32 *fixed, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const i32 rounded = to_integer(rint(direction[at] * scale));
        fixed[at] = rounded;
        direction[at] = (double)rounded / scale;
    }
}
