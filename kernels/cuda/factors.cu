// Kernels for weights with factors, for a group of phases that share the factors. They compute the
// same as the trainer's `backend/cpu/factors`, which states the units and the bounds.
//
// `numbers` maps each parameter of the model to its number among the parameters that occur in the
// group. In a vector, the weights of `phases` phases with `parameters` elements each come before
// the factors.
//
// Three kernels list, for each parameter number of a batch, the positions in which it occurs
// (inverted index). Batches are the same in every epoch, so their lists are made once if they fit
// in memory. An update takes two launches: `factor_values` computes the residual of each position, and
// `factor_updates` adds up the gradient of each list in registers and applies it. A team of 32 threads (lanes) works on one position or list. Each lane has every
// 32nd element of the factor vectors of width D, so a team accesses whole cache lines.

// The number of threads in a block of the kernels with teams.
#define BLOCK_THREADS 128
#define TEAM 32
#define TEAMS (BLOCK_THREADS / TEAM)

// The teams of a block share the positions of a list of at least this length.
#define LONG_LIST 256

// The number of elements of a factor vector that each lane has.
#define PER_LANE ((DIMENSIONS + TEAM - 1) / TEAM)

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
#define POSITION_LIMIT ((1 << 30) - 1)
#define OWN_WEIGHT_LIMIT ((1 << 24) - 1)

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

// Returns the value of the team's position in 2^-18 disc; 0 unless `there`. `found` has the numbers
// of the position's parameters. Writes this lane's elements of the sum of their factor vectors, in
// 2^-16, to `sum`. From each of `weights`, half the signed square of the parameter's own vector must
// already be subtracted. All threads of the block must call this function together.
INLINE i32 team_value(u32 there, const u32 *found, const i32 *weights, const i32 *factors, i64 *parts, i32 *sum)
{
    const u32 lane = threadIdx.x % TEAM;
    i64 weight = 0;
    i64 squares = 0;
#pragma unroll
    for (u32 element = 0; element < PER_LANE; element++)
        sum[element] = 0;
    for (u32 feature = there ? lane : FEATURES; feature < FEATURES; feature += TEAM)
        weight += weights[found[feature]];
    weight = team_sum(parts, weight);
    if (there)
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
    return (i32)limited(weight + halved(team_sum(parts, squares)), POSITION_LIMIT);
}

// A position of a batch: its label, its weight, and the place of its phase in the group.
typedef struct {
    i16 label;
    u16 weight;
    u32 phase;
} Listed;

// The positions begin .. end of `members` are those of the batch in which a parameter occurs.
typedef struct {
    u32 number, begin, end;
} List;

// Writes the rows first .. first + count, all of one phase, to the positions from `place` of a
// batch, and the numbers of their parameters to `found`. Adds their occurrences to `counts`.
KERNEL list_positions(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, u32 phase, u32 place,
                      Listed *listed, u32 *found, u32 *counts)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 *own = found + (u64)(place + at) * FEATURES;
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
        listed[place + at].label = row.label;
        listed[place + at].weight = (u16)combined_weight(row.weight, factor);
        listed[place + at].phase = phase;
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++) {
            own[feature] = numbers[parameters[feature]];
            atomicAdd(&counts[own[feature]], 1u);
        }
    }
}

#define SCAN_THREADS 256

// Replaces the count of each parameter number by the begin of its list (exclusive prefix sum), in
// one block. Writes the lists that are not empty to `lists`, first those of at least LONG_LIST
// positions. Writes the number of long lists to sizes[0], of all lists to sizes[1].
KERNEL arrange_lists(u32 *counts, u32 parameters, List *lists, u32 *sizes)
{
    // Of each thread's range of numbers: the positions, the long lists and the other lists.
    __shared__ u32 before[3][SCAN_THREADS + 1];
    const u32 own = (parameters + SCAN_THREADS - 1) / SCAN_THREADS, thread = threadIdx.x;
    const u32 first = thread * own, end = first + own < parameters ? first + own : parameters;
    u32 members = 0, long_lists = 0, others = 0;
    for (u32 at = first; at < end; at++) {
        members += counts[at];
        long_lists += counts[at] >= LONG_LIST;
        others += counts[at] > 0 && counts[at] < LONG_LIST;
    }
    before[0][thread] = members;
    before[1][thread] = long_lists;
    before[2][thread] = others;
    __syncthreads();
    if (thread < 3) {
        u32 sum = 0;
        for (u32 at = 0; at <= SCAN_THREADS; at++) {
            const u32 more = at < SCAN_THREADS ? before[thread][at] : 0;
            before[thread][at] = sum;
            sum += more;
        }
    }
    __syncthreads();
    members = before[0][thread];
    long_lists = before[1][thread];
    others = before[1][SCAN_THREADS] + before[2][thread];
    for (u32 at = first; at < end; at++) {
        const u32 count = counts[at];
        if (count > 0) {
            List *list = &lists[count >= LONG_LIST ? long_lists++ : others++];
            list->number = at;
            list->begin = members;
            list->end = members + count;
        }
        counts[at] = members;
        members += count;
    }
    if (thread == 0) {
        sizes[0] = before[1][SCAN_THREADS];
        sizes[1] = before[1][SCAN_THREADS] + before[2][SCAN_THREADS];
    }
}

// Writes each position of a batch to the lists of its parameters, in any order. `found` has `count`
// numbers; `ends` has the begin of each list, and then its end.
KERNEL fill_lists(const u32 *found, u32 count, u32 *ends, u32 *members)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        members[atomicAdd(&ends[found[at]], 1u)] = at / FEATURE_ARRAY;
}

// For each of the first `count` positions of a batch, writes weight * residual to `weighted`, and
// weight * residual * (sum of factor vectors) to `added`, with the signs of the dimensions. Adds
// weight * residual^2 to the two halves totals[0] and totals[1].
KERNEL factor_values(const Listed *listed, const u32 *found, u32 count, const i32 *vector, u32 phases, u32 parameters,
                     i64 *weighted, i32 *added, u64 *totals)
{
    __shared__ i64 parts[BLOCK_THREADS];
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    Wide total = {0, 0};
    for (u32 begin = blockIdx.x * TEAMS; begin < count; begin += gridDim.x * TEAMS) {
        const u32 there = begin + team < count, at = there ? begin + team : 0;
        const Listed own = listed[at];
        i32 sum[PER_LANE];
        const i32 value = team_value(there, found + (u64)at * FEATURES, vector + own.phase * parameters,
                                     vector + (u64)phases * parameters, parts, sum);
        const i64 error = residual(own.label, value);
        const i64 times = limited(error, RESIDUAL_LIMIT) * own.weight;
        if (there && lane == 0) {
            add_wide(&total, (u64)(error * error * own.weight));
            weighted[at] = times;
        }
#pragma unroll
        for (u32 element = 0; element < PER_LANE; element++) {
            const u32 dimension = lane + element * TEAM;
            const i64 product = with_sign(dimension, times) * limited(sum[element], SUM_LIMIT);
            if (there && dimension < DIMENSIONS)
                added[(u64)at * DIMENSIONS + dimension] =
                    (i32)limited((product + (1 << (FACTOR_BITS - 1))) >> FACTOR_BITS, TERM_LIMIT);
        }
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

// Returns the sum of `number` over the threads of the block with the same lane. All threads of the
// block must call this function together. `parts` has one element for each of them.
INLINE i64 lane_sum(i64 *parts, i64 number)
{
    i64 sum = 0;
    parts[threadIdx.x] = number;
    __syncthreads();
    for (u32 team = 0; team < TEAMS; team++)
        sum += parts[team * TEAM + threadIdx.x % TEAM];
    __syncthreads();
    return sum;
}

// A lane's part of the gradient of one parameter: for its factors, the sums over positions of
// weight * residual * (sum of factor vectors); for its weights in the phases `lane` and `lane` + 32,
// the sums of weight * residual, and of the weights of positions.
typedef struct {
    i64 sums[PER_LANE], residuals[2], found[2];
} Gradient;

// Adds every `stride`th position of members[begin .. end] to this lane's part of a gradient.
INLINE void add_positions(Gradient *gradient, const u32 *members, u32 begin, u32 end, u32 stride,
                          const Listed *listed, const i64 *weighted, const i32 *added)
{
    const u32 lane = threadIdx.x % TEAM;
#pragma unroll 4
    for (u32 at = begin; at < end; at += stride) {
        const u32 position = members[at];
        const Listed own = listed[position];
        const i64 times = weighted[position];
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            gradient->residuals[half] += own.phase == lane + half * TEAM ? times : 0;
            gradient->found[half] += own.phase == lane + half * TEAM ? own.weight : 0;
        }
#pragma unroll
        for (u32 element = 0; element < PER_LANE; element++)
            if (lane + element * TEAM < DIMENSIONS)
                gradient->sums[element] += added[(u64)position * DIMENSIONS + lane + element * TEAM];
    }
}

// Adds up the parts of a gradient that the teams of a block have, and gives the sum to each team.
INLINE void share_gradient(i64 *parts, Gradient *gradient)
{
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        gradient->residuals[half] = lane_sum(parts, gradient->residuals[half]);
        gradient->found[half] = lane_sum(parts, gradient->found[half]);
    }
#pragma unroll
    for (u32 element = 0; element < PER_LANE; element++)
        gradient->sums[element] = lane_sum(parts, gradient->sums[element]);
}

// Updates by Adam the weights and factors of the parameters in `lists`. A block takes one long list,
// whose positions its teams share, or one other list for each team. `trained` contains the
// occurrences of each number in all batches together. `fixed` contains the rounded weights and
// factors; the kernel replaces them by those for the next batch.
KERNEL factor_updates(const List *lists, u32 long_lists, u32 count, const u32 *members, const Listed *listed,
                      const i64 *weighted, const i32 *added, const u64 *trained, i32 *fixed, const double *initial,
                      double *weights, double *first, double *second, u32 phases, u32 parameters, double unit,
                      double ridge, double keep_first, double take_first, double keep_second, double take_second,
                      double rate, double correction, double epsilon)
{
    __shared__ i64 parts[BLOCK_THREADS];
    const AdamStep step = {unit, ridge, keep_first, take_first, keep_second, take_second, rate, correction, epsilon};
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    const u32 shares = long_lists + (count - long_lists + TEAMS - 1) / TEAMS;
    for (u32 share = blockIdx.x; share < shares; share += gridDim.x) {
        const u32 is_long = share < long_lists;
        const u32 place = is_long ? share : long_lists + (share - long_lists) * TEAMS + team;
        const u32 there = place < count;
        const List list = lists[there ? place : 0];
        Gradient gradient = {{0}, {0}, {0}};
        i64 squares = 0;
        add_positions(&gradient, members, list.begin + (is_long ? team : 0), there ? list.end : 0,
                      is_long ? TEAMS : 1, listed, weighted, added);
        if (is_long)
            share_gradient(parts, &gradient);
        const i64 residuals = team_sum(parts, gradient.residuals[0] + gradient.residuals[1]);
        const i64 found = team_sum(parts, gradient.found[0] + gradient.found[1]);
        const double all = (double)trained[list.number];
        const u32 moves = there && (!is_long || team == 0) && all > 0.0 && found > 0;
        const u64 factors = (u64)phases * parameters + (u64)list.number * DIMENSIONS;
#pragma unroll
        for (u32 element = 0; element < PER_LANE; element++) {
            const u32 dimension = lane + element * TEAM;
            const u64 at = factors + dimension;
            if (moves && dimension < DIMENSIONS) {
                const i64 sum = gradient.sums[element] - with_sign(dimension, own_part(fixed[at], residuals));
                fixed[at] = rounded_factor(
                    adam_element(at, sum, ridge * ((double)found / all), &step, initial, weights, first, second));
                squares += with_sign(dimension, (i64)fixed[at] * fixed[at]);
            }
        }
        const i64 own = halved(team_sum(parts, squares));
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32 phase = lane + half * TEAM, at = phase * parameters + list.number;
            if (moves && phase < phases) {
                if (gradient.found[half] > 0)
                    adam_element(at, gradient.residuals[half], ridge * ((double)gradient.found[half] / all), &step,
                                 initial, weights, first, second);
                fixed[at] = (i32)limited(rounded_weight(weights[at]) - own, OWN_WEIGHT_LIMIT);
            }
        }
    }
}

// Adds the same sums to `totals` as the kernel `errors`, for weights with factors. All rows are of
// the phase whose weights begin at `weights` in `vector`, and the factors begin at `factors`.
KERNEL factor_errors(const Row *rows, u32 first, u32 count, u32 factor, const u32 *numbers, const i32 *vector,
                    u32 weights, u32 factors, u64 *totals)
{
    __shared__ u32 all_found[TEAMS * FEATURE_ARRAY];
    __shared__ i64 parts[BLOCK_THREADS];
    const u32 team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    u32 *found = all_found + team * FEATURE_ARRAY;
    u64 weight = 0;
    u64 absolute = 0;
    Wide squared = {0, 0};
    for (u32 begin = blockIdx.x * TEAMS; begin < count; begin += gridDim.x * TEAMS) {
        const u32 there = begin + team < count;
        const Row row = rows[first + (there ? begin + team : 0)];
        i32 sum[PER_LANE];
        if (lane == 0)
            find_parameters(&row, found);
        __syncthreads();
        for (u32 feature = lane; feature < FEATURES; feature += TEAM)
            found[feature] = numbers[found[feature]];
        __syncthreads();
        const i32 value = team_value(there, found, vector + weights, vector + factors, parts, sum);
        if (there && lane == 0) {
            const i32 error = clamped_error(row.label, value);
            const u64 size = (u64)(error < 0 ? -error : error);
            const u64 counts = combined_weight(row.weight, factor);
            weight += counts;
            absolute += counts * size;
            add_wide(&squared, counts * size * size);
        }
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
            *weight = (i32)limited(*weight - own, OWN_WEIGHT_LIMIT);
        }
    }
}
