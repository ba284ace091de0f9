// Weights and factors of a group of phases that share them: the trainer's `backend/cpu/joint`, which states
// the units and the bounds. The simple way, as in residuals.cu: one thread for each position.
//
// Per position, with D factors a parameter: D + 1 gathers and D + 2 reductions of 8 bytes for each feature. The D
// of a feature lie together, so that a thread reads and adds to whole lines. Nothing of this was timed.

// Vectors, also for a set without factors.
#define VECTOR (DIMENSIONS > 0 ? DIMENSIONS : 1)

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

// The squares of the first half of the elements, less those of the second half.
INLINE i64 signed_squares(const i32 *elements)
{
    i64 sum = 0;
#pragma unroll
    for (u32 dimension = 0; dimension < DIMENSIONS; dimension++) {
        const i64 square = (i64)elements[dimension] * elements[dimension];
        sum += 2 * dimension < DIMENSIONS ? square : -square;
    }
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

// The numbers of a position's features in the group.
INLINE void find_numbers(const Row *row, const u32 *numbers, u32 *found)
{
    find_parameters(row, 1, found);
#pragma unroll
    for (u32 feature = 0; feature < FEATURES; feature++)
        found[feature] = numbers[found[feature]];
}

// The value of a position in 2^-18 disc; writes the sum of its vectors in 2^-16. `weights` have what each
// vector has with itself taken off.
INLINE i32 joint_value(const i32 *weights, const i32 *factors, const u32 *found, i32 *sum)
{
#pragma unroll
    for (u32 dimension = 0; dimension < DIMENSIONS; dimension++)
        sum[dimension] = 0;
    for (u32 feature = 0; feature < FEATURES; feature++) {
        const i32 *vector = factors + (u64)found[feature] * DIMENSIONS;
#pragma unroll
        for (u32 dimension = 0; dimension < DIMENSIONS; dimension++)
            sum[dimension] += vector[dimension];
    }
    return (i32)limited(sum_of(weights, found) + halved(signed_squares(sum)), JOINT_LIMIT);
}

// Adds weight * residual of rows first .. first + count to the sums of weights, residual times the sum of
// vectors to those of factors, weight to the occurrences, and weight * residual^2 to the two halves of `squared`.
// `vector`, `sums` and `occurrences` have the weights of this phase from `weights` on; the first two have factors
// from `factors` on.
KERNEL joint_residuals(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, const i32 *vector,
                       u32 weights, u32 factors, u64 *sums, u64 *occurrences, u64 *squared)
{
    Wide total = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 found[FEATURE_ARRAY];
        i32 sum[VECTOR];
        u64 added[VECTOR];
        find_numbers(&row, numbers, found);
        const i64 error = residual(row.label, joint_value(vector + weights, vector + factors, found, sum));
        const i64 weight = combined_weight(row.weight, factor);
        add_wide(&total, (u64)(error * error * weight));
        const i64 weighted = limited(error, RESIDUAL_LIMIT) * weight;
#pragma unroll
        for (u32 dimension = 0; dimension < DIMENSIONS; dimension++) {
            const i64 signed_error = 2 * dimension < DIMENSIONS ? weighted : -weighted;
            const i64 product = signed_error * limited(sum[dimension], SUM_LIMIT);
            added[dimension] = (u64)limited((product + (1 << (FACTOR_BITS - 1))) >> FACTOR_BITS, TERM_LIMIT);
        }
        for (u32 feature = 0; feature < FEATURES; feature++) {
            u64 *own = sums + factors + (u64)found[feature] * DIMENSIONS;
            atomicAdd(&sums[weights + found[feature]], (u64)weighted);
            atomicAdd(&occurrences[weights + found[feature]], (u64)weight);
#pragma unroll
            for (u32 dimension = 0; dimension < DIMENSIONS; dimension++)
                atomicAdd(&own[dimension], added[dimension]);
        }
    }
    flush_wide(squared, total);
}

// The part of a factor's sum that its own vector has added to it: the factor times the residuals of its parameter.
// The product may need more than 64 bits; its parts do not.
INLINE i64 own_part(i64 factor, i64 residuals)
{
    const i64 high = factor * (residuals >> FACTOR_BITS);
    return high + ((factor * (residuals & ((1 << FACTOR_BITS) - 1))) >> FACTOR_BITS);
}

// Updates those elements that a position of the batch has. `parameters` numbers of each of `phases` phases come
// before the factors; `totals` has the occurrences of each number in all batches. `fixed` is that of the batch.
KERNEL joint_adam(const i64 *sums, const u64 *occurrences, const u64 *totals, const i32 *fixed, const double *initial,
                  double *weights, double *first, double *second, u32 phases, u32 parameters, double unit,
                  double ridge, double clip, double keep_first, double take_first, double keep_second,
                  double take_second, double rate, double correction, double epsilon, double decay)
{
    const AdamStep step = {unit, ridge, clip, keep_first, take_first, keep_second,
                           take_second, rate, correction, epsilon, decay};
    const u32 factors = phases * parameters;
    const u32 count = factors + parameters * DIMENSIONS;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const u32 number = at < factors ? at % parameters : (at - factors) / VECTOR;
        i64 sum = sums[at];
        u64 found = 0;
        if (at < factors) {
            found = occurrences[at];
        } else {
            i64 residuals = 0;
            for (u32 phase = 0; phase < phases; phase++) {
                residuals += sums[phase * parameters + number];
                found += occurrences[phase * parameters + number];
            }
            const i64 own = own_part(fixed[at], residuals);
            sum -= 2 * ((at - factors) % VECTOR) < DIMENSIONS ? own : -own;
        }
        if (found == 0 || totals[number] == 0)
            continue;
        const double pull = ridge * ((double)found / (double)totals[number]);
        adam_element(at, sum, pull, &step, initial, weights, first, second);
    }
}

// Adds to totals what `errors` adds.
KERNEL joint_errors(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, const i32 *vector,
                    u32 weights, u32 factors, u64 *totals)
{
    u64 weight = 0;
    u64 absolute = 0;
    Wide squared = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 found[FEATURE_ARRAY];
        i32 sum[VECTOR];
        find_numbers(&row, numbers, found);
        const i32 value = joint_value(vector + weights, vector + factors, found, sum);
        const i32 error = clamped_error(row.label, value);
        const u64 size = (u64)(error < 0 ? -error : error);
        const u64 counts = combined_weight(row.weight, factor);
        weight += counts;
        absolute += counts * size;
        add_wide(&squared, counts * size * size);
    }
    atomicAdd(&totals[0], weight);
    atomicAdd(&totals[1], absolute);
    flush_wide(&totals[2], squared);
}

// The factors of a vector in 2^-16: fixed <- factors, from `first` on.
KERNEL round_factors(const double *vector, u32 first, i32 *fixed, u32 count)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        double rounded = rint(vector[first + at] * FACTOR_STEPS);
        rounded = rounded > FACTOR_LIMIT ? FACTOR_LIMIT : rounded;
        fixed[first + at] = to_integer(rounded < -FACTOR_LIMIT ? -FACTOR_LIMIT : rounded);
    }
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
