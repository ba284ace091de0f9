// Weights and factors of a group of phases that share them: the trainer's `backend/cpu/factors`, which states
// the units and the bounds.
//
// A team of 32 threads works on a position, or on a number that a batch has met: a lane has every 32nd of the D
// factors, so that a team reads and adds to whole lines. Per position: D + 1 gathers and D + 2 reductions of 8
// bytes for each feature. What an update costs besides depends on the numbers that it meets, not on all there are.

// Threads of a block of `joint_residuals`, `joint_adam` and `joint_errors`.
#define JOINT_THREADS 128
#define TEAM 32
#define TEAMS (JOINT_THREADS / TEAM)

// Elements of a vector that a lane has; at least 1, also for a set without factors.
#define PER_LANE ((DIMENSIONS + TEAM - 1) / TEAM > 0 ? (DIMENSIONS + TEAM - 1) / TEAM : 1)

#define FACTOR_STEPS 65536.0
// 127/64 in 2^-16.
#define FACTOR_LIMIT 130048.0
#define FACTOR_BITS 16
// From half of 2^-32 disc to 2^-18.
#define SQUARE_SHIFT 15
// 128 discs in 2^-10 disc.
#define RESIDUAL_LIMIT (1 << 17)
// 16 in 2^-16.
#define SUM_LIMIT (1 << 20)
#define TERM_LIMIT 2147483647
// What a value is limited to, in 2^-18 disc.
#define JOINT_LIMIT ((1 << 30) - 1)
#define JOINT_WEIGHT_LIMIT ((1 << 24) - 1)

// A number with the sign of a dimension: the first half of them are added, the second half subtracted.
INLINE i64 with_sign(u32 dimension, i64 number)
{
    return 2 * dimension < DIMENSIONS ? number : -number;
}

// The squares of the elements of a vector, with their signs.
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

// The sum of a number over the threads of a team, for each of them. All threads of a block call it at once;
// `parts` has a place for each.
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

// The value of a team's position in 2^-18 disc; 0 without one. Writes its numbers, and the lane's elements of the
// sum of its vectors in 2^-16. `weights` have what each vector has with itself taken off. All threads of a block
// call it at once.
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

// Adds weight * residual of rows first .. first + count to the sums of weights, residual times the sum of
// vectors to those of factors, weight to the occurrences, and weight * residual^2 to the first two of `totals`.
// `vector`, `sums` and `occurrences` have the weights of this phase from `weights` on; the first two have factors
// from `factors` on. The numbers met go into `met`, each once, and their count into the last of `totals`;
// `marks` has 1 for them.
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
        // The numbers stay until all lanes have used them.
        __syncthreads();
    }
    if (lane == 0)
        flush_wide(totals, total);
}

// The part of a factor's sum that its own vector has added to it: the factor times the residuals of its parameter.
// The product may need more than 64 bits; its parts do not.
INLINE i64 own_part(i64 factor, i64 residuals)
{
    const i64 high = factor * (residuals >> FACTOR_BITS);
    return high + ((factor * (residuals & ((1 << FACTOR_BITS) - 1))) >> FACTOR_BITS);
}

// Updates the elements of the numbers in `met` that positions of the batch have, and rounds them; makes the sums,
// occurrences and marks 0 again. `parameters` numbers of each of `phases` phases come before the factors; `trained`
// has the occurrences of each number in all batches. `fixed` is that of the batch before, of the next one after.
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

// Adds to totals what `errors` adds.
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
        // The numbers stay until all lanes have used them.
        __syncthreads();
    }
    if (lane == 0) {
        atomicAdd(&totals[0], weight);
        atomicAdd(&totals[1], absolute);
        flush_wide(&totals[2], squared);
    }
}

// The factors of a vector in 2^-16: fixed <- factors, from `first` on.
KERNEL round_factors(const double *vector, u32 first, i32 *fixed, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        fixed[first + at] = rounded_factor(vector[first + at]);
}

// Takes off the weights of every phase what each parameter's vector has with itself.
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
