// Kernels for weights with factors, for a group of phases that share the factors. They compute the
// same as the trainer's `backend/cpu/factors`, which states the units and the bounds.
//
// `numbers` maps each parameter of the model to its number among the parameters that occur in the
// group. A team of 32 threads (lanes) works on one position or, in an update, on one parameter
// number that occurs in the batch. Each lane has every 32nd element of the factor vectors of width
// D, so a team accesses whole cache lines. Each feature of a position takes D + 1 gathers and D + 2
// reductions of 8 bytes. The cost of an update depends only on the parameters that occur in its
// batch.

// The number of threads in a block of `joint_residuals`, `joint_adam` and `joint_errors`.
#define JOINT_THREADS 128
#define TEAM 32
#define TEAMS (JOINT_THREADS / TEAM)

// The number of elements of a factor vector that each lane has; 1 for a set without factors,
// because C has no empty arrays.
#define PER_LANE ((DIMENSIONS + TEAM - 1) / TEAM > 0 ? (DIMENSIONS + TEAM - 1) / TEAM : 1)

#define FACTOR_STEPS 65536.0
// The greatest absolute value of a factor: 127/64, in units of 2^-16.
#define FACTOR_LIMIT 130048.0
#define FACTOR_BITS 16
// The shift that halves a sum of squared factors in 2^-32 disc, and converts it to 2^-18 disc: 14 +
// 1.
#define SQUARE_SHIFT 15
// The limit of a residual in the gradient of factors: 128 discs, in 2^-10 disc.
#define RESIDUAL_LIMIT (1 << 17)
// The limit of an element of a sum of factor vectors: 16, in units of 2^-16.
#define SUM_LIMIT (1 << 20)
#define TERM_LIMIT 2147483647
// The greatest absolute value of a position's value, in 2^-18 disc.
#define JOINT_LIMIT ((1 << 30) - 1)
#define JOINT_WEIGHT_LIMIT ((1 << 24) - 1)

// Returns a number with the sign of a dimension of the factor vectors: positive for the first half
// of the dimensions, negative for the second half.
INLINE i64 with_sign(u32 dimension, i64 number)
{
    return 2 * dimension < DIMENSIONS ? number : -number;
}

// Returns the sum of the squared elements of a factor vector, each with the sign of its dimension.
INLINE i64 signed_squares(const i32 *elements)
{
    i64 sum = 0;
#pragma unroll
    for (u32 dimension = 0; dimension < DIMENSIONS; dimension++)
        sum += with_sign(dimension, (i64)elements[dimension] * elements[dimension]);
    return sum;
}

INLINE i64 halved(i64 squares)
{
    return (squares + (1 << (SQUARE_SHIFT - 1))) >> SQUARE_SHIFT;
}

INLINE i64 limited(i64 value, i64 limit)
{
    const i64 low = value < -limit ? -limit : value;
    return low > limit ? limit : low;
}

INLINE i32 rounded_factor(double factor)
{
    double rounded = rint(factor * FACTOR_STEPS);
    rounded = rounded > FACTOR_LIMIT ? FACTOR_LIMIT : rounded;
    return to_integer(rounded < -FACTOR_LIMIT ? -FACTOR_LIMIT : rounded);
}

// Returns the sum of `number` over the threads of a team, to each of these threads. All threads of
// the block must call this function together. `parts` has one element for each of them.
INLINE i64 team_sum(i64 *parts, i64 number)
{
    const u32 team = threadIdx.x / TEAM * TEAM;
    i64 sum = 0;
    parts[threadIdx.x] = number;
    __syncthreads();
    for (u32 lane = 0; lane < TEAM; lane++)
        sum += parts[team + lane];
    __syncthreads();
    return sum;
}

// Returns the value of the team's position in 2^-18 disc; 0 if `row` is null. Writes the numbers of
// the position's parameters to `found`, and this lane's elements of the sum of their factor
// vectors, in 2^-16, to `sum`. From each of `weights`, half the signed square of the parameter's
// own vector must already be subtracted. All threads of the block must call this function together.
INLINE i32 team_value(const Row *row, const u32 *numbers, const i32 *weights, const i32 *factors, u32 *found,
                      i64 *parts, i32 *sum)
{
    const u32 lane = threadIdx.x % TEAM;
    i64 weight = 0;
    i64 squares = 0;
#pragma unroll
    for (u32 element = 0; element < PER_LANE; element++)
        sum[element] = 0;
    if (row && lane == 0) {
        const Row copy = *row;
        find_parameters(&copy, found);
    }
    __syncthreads();
    if (row)
        for (u32 feature = lane; feature < FEATURES; feature += TEAM) {
            found[feature] = numbers[found[feature]];
            weight += weights[found[feature]];
        }
    weight = team_sum(parts, weight);
    if (row)
        for (u32 feature = 0; feature < FEATURES; feature++) {
            const i32 *vector = factors + (u64)found[feature] * DIMENSIONS;
#pragma unroll
            for (u32 element = 0; element < PER_LANE; element++)
                if (lane + element * TEAM < DIMENSIONS)
                    sum[element] += vector[lane + element * TEAM];
        }
#pragma unroll
    for (u32 element = 0; element < PER_LANE; element++)
        squares += with_sign(lane + element * TEAM, (i64)sum[element] * sum[element]);
    return (i32)limited(weight + halved(team_sum(parts, squares)), JOINT_LIMIT);
}

// Computes the gradients of a batch, the rows first .. first + count of one phase. Adds weight *
// residual to the sums of weights, weight * residual * (sum of factor vectors) to the sums of
// factors, weight to `occurrences`, and weight * residual^2 to the two halves totals[0] and
// totals[1]. In `vector`, `sums` and `occurrences`, the elements of this phase begin at `weights`;
// in `vector` and `sums`, the factors begin at `factors`. Writes each parameter number that occurs
// to `met` once, adds their count to totals[2], and sets `marks` to 1 for them.
KERNEL joint_residuals(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, const i32 *vector,
                       u32 weights, u32 factors, u64 *sums, u64 *occurrences, u32 *marks, u32 *met, u64 *totals)
{
    __shared__ u32 all_found[TEAMS * FEATURE_ARRAY];
    __shared__ i64 parts[JOINT_THREADS];
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    u32 *found = all_found + team * FEATURE_ARRAY;
    Wide total = {0, 0};
    for (u32 begin = blockIdx.x * TEAMS; begin < count; begin += gridDim.x * TEAMS) {
        const Row *row = begin + team < count ? &rows[first + begin + team] : 0;
        i32 sum[PER_LANE];
        const i32 value = team_value(row, numbers, vector + weights, vector + factors, found, parts, sum);
        if (row) {
            const i64 error = residual(row->label, value);
            const i64 weight = combined_weight(row->weight, factor);
            const i64 weighted = limited(error, RESIDUAL_LIMIT) * weight;
            u64 added[PER_LANE];
            if (lane == 0)
                add_wide(&total, (u64)(error * error * weight));
#pragma unroll
            for (u32 element = 0; element < PER_LANE; element++) {
                const i64 signed_error = with_sign(lane + element * TEAM, weighted);
                const i64 product = signed_error * limited(sum[element], SUM_LIMIT);
                added[element] = (u64)limited((product + (1 << (FACTOR_BITS - 1))) >> FACTOR_BITS, TERM_LIMIT);
            }
            for (u32 feature = lane; feature < FEATURES; feature += TEAM) {
                const u32 number = found[feature];
                atomicAdd(&sums[weights + number], (u64)weighted);
                atomicAdd(&occurrences[weights + number], (u64)weight);
                if (marks[number] == 0 && atomicMax(&marks[number], 1u) == 0)
                    met[atomicAdd(&totals[2], (u64)1)] = number;
            }
            for (u32 feature = 0; feature < FEATURES; feature++) {
                u64 *own = sums + factors + (u64)found[feature] * DIMENSIONS;
#pragma unroll
                for (u32 element = 0; element < PER_LANE; element++)
                    if (lane + element * TEAM < DIMENSIONS)
                        atomicAdd(&own[lane + element * TEAM], added[element]);
            }
        }
        // The next position must not overwrite `found` before all lanes have used it.
        __syncthreads();
    }
    if (lane == 0)
        flush_wide(totals, total);
}

// Returns the part of a factor's gradient sum that comes from the parameter's own vector: the
// factor times the sum of the parameter's residuals. The product may need more than 64 bits, so it
// is computed from two parts of `residuals`.
INLINE i64 own_part(i64 factor, i64 residuals)
{
    const i64 high = factor * (residuals >> FACTOR_BITS);
    return high + ((factor * (residuals & ((1 << FACTOR_BITS) - 1))) >> FACTOR_BITS);
}

// Updates the weights and factors of the parameter numbers in `met` by Adam, and sets their sums,
// occurrences and marks to 0. In every vector, the weights of `phases` phases with `parameters`
// elements each come before the factors. `trained` contains the occurrences of each number in all
// batches together. `fixed` contains the rounded weights and factors; the kernel replaces them by
// those for the next batch.
KERNEL joint_adam(i64 *sums, u64 *occurrences, const u64 *trained, i32 *fixed, u32 *marks, const u32 *met,
                  const u64 *totals, const double *initial, double *weights, double *first, double *second, u32 phases,
                  u32 parameters, double unit, double ridge, double keep_first, double take_first,
                  double keep_second, double take_second, double rate, double correction, double epsilon)
{
    __shared__ i64 parts[JOINT_THREADS];
    const AdamStep step = {unit, ridge, keep_first, take_first, keep_second, take_second, rate, correction, epsilon};
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    const u32 count = (u32)totals[2];
    for (u32 begin = blockIdx.x * TEAMS; begin < count; begin += gridDim.x * TEAMS) {
        const u32 there = begin + team < count;
        const u32 number = there ? met[begin + team] : 0;
        const u64 factors = (u64)phases * parameters + (u64)number * DIMENSIONS;
        const double all = there ? (double)trained[number] : 0.0;
        i64 residuals = 0, found = 0, squares = 0;
        for (u32 phase = there ? lane : phases; phase < phases; phase += TEAM) {
            residuals += sums[phase * parameters + number];
            found += (i64)occurrences[phase * parameters + number];
        }
        residuals = team_sum(parts, residuals);
        found = team_sum(parts, found);
        const u32 moves = all > 0.0 && found > 0;
        for (u32 dimension = there ? lane : DIMENSIONS; dimension < DIMENSIONS; dimension += TEAM) {
            const u64 at = factors + dimension;
            const i64 sum = sums[at] - with_sign(dimension, own_part(fixed[at], residuals));
            if (moves)
                fixed[at] = rounded_factor(
                    adam_element(at, sum, ridge * ((double)found / all), &step, initial, weights, first, second));
            squares += with_sign(dimension, (i64)fixed[at] * fixed[at]);
            sums[at] = 0;
        }
        const i64 own = halved(team_sum(parts, squares));
        for (u32 phase = there ? lane : phases; phase < phases; phase += TEAM) {
            const u32 at = phase * parameters + number;
            if (moves && occurrences[at] > 0)
                adam_element(at, sums[at], ridge * ((double)occurrences[at] / all), &step, initial, weights, first,
                             second);
            fixed[at] = (i32)limited(rounded_weight(weights[at]) - own, JOINT_WEIGHT_LIMIT);
            sums[at] = 0;
            occurrences[at] = 0;
        }
        if (there && lane == 0)
            marks[number] = 0;
    }
}

// Adds the same sums to `totals` as the kernel `errors`, for weights with factors.
KERNEL joint_errors(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, const i32 *vector,
                    u32 weights, u32 factors, u64 *totals)
{
    __shared__ u32 found[TEAMS * FEATURE_ARRAY];
    __shared__ i64 parts[JOINT_THREADS];
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    u64 weight = 0;
    u64 absolute = 0;
    Wide squared = {0, 0};
    for (u32 begin = blockIdx.x * TEAMS; begin < count; begin += gridDim.x * TEAMS) {
        const Row *row = begin + team < count ? &rows[first + begin + team] : 0;
        i32 sum[PER_LANE];
        const i32 value = team_value(row, numbers, vector + weights, vector + factors, found + team * FEATURE_ARRAY,
                                     parts, sum);
        if (row && lane == 0) {
            const i32 error = clamped_error(row->label, value);
            const u64 size = (u64)(error < 0 ? -error : error);
            const u64 counts = combined_weight(row->weight, factor);
            weight += counts;
            absolute += counts * size;
            add_wide(&squared, counts * size * size);
        }
        // The next position must not overwrite `found` before all lanes have used it.
        __syncthreads();
    }
    if (lane == 0) {
        atomicAdd(&totals[0], weight);
        atomicAdd(&totals[1], absolute);
        flush_wide(&totals[2], squared);
    }
}

// Rounds the factors in `vector`, which begin at `first`, to 2^-16, and writes them to `fixed`.
KERNEL round_factors(const double *vector, u32 first, i32 *fixed, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        fixed[first + at] = rounded_factor(vector[first + at]);
}

// Subtracts half the signed square of each parameter's factor vector from the parameter's weight in
// every phase. The value of a position can then use the square of the whole sum of vectors.
KERNEL take_squares(u32 phases, u32 parameters, i32 *fixed)
{
    for (u32 at = grid_thread(); at < parameters; at += grid_threads()) {
        const i64 own = halved(signed_squares(fixed + phases * parameters + (u64)at * DIMENSIONS));
        for (u32 phase = 0; phase < phases; phase++) {
            i32 *weight = &fixed[phase * parameters + at];
            *weight = (i32)limited(*weight - own, JOINT_WEIGHT_LIMIT);
        }
    }
}
