// Residual sums: one thread for each position, with gathers and reductions in global memory.
//
// Each position takes about 900 instructions for its parameters (see positions.cuh), 65 gathers of
// 4 bytes, and 65 reductions of 8 bytes without a result (red.global.add.u64): about 1,500 PTX
// instructions in all. A phase's weights (1.3 MB) and sums (2.6 MB) stay in the level-2 cache; only
// the 20 bytes of the row come from device memory. The reductions therefore limit the speed: an
// H200 processes 953 million positions a second, as many as with these reductions alone. The
// parameters stay in registers between the gathers and the reductions (96 registers by ptxas on
// sm_80, 130 on sm_90). Computing them twice would save registers, but cost more than the higher
// occupancy would gain, since the 65 gathers of a thread are independent of each other.

// For rows first .. first + count, adds weight * residual to the sum of each parameter of the row,
// and weight * residual^2 to the two halves of `squared`. If `labels` is 0, all labels count as 0.
KERNEL residual_sums(const Row *rows, u32 first, u32 count, u32 factor, u32 labels,
                     const i32 *weights, u64 *sums, u64 *squared)
{
    Wide total = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
        const i64 error = residual(labels ? row.label : 0, sum_of(weights, parameters));
        // The absolute value is below 2^16 * 2^23. The bound on the total weight of all rows keeps
        // the sums below 2^63.
        const i64 weighted = error * (i64)combined_weight(row.weight, factor);
        add_wide(&total, (u64)(weighted * error));
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&sums[parameters[feature]], (u64)weighted);
    }
    // Each thread does only two atomic additions for its many rows, so a reduction within the block
    // would gain nothing.
    flush_wide(squared, total);
}

// Adds the weight of each row, in 1/64 occurrence, to the counts of the row's parameters.
KERNEL occurrences(const Row *rows, u32 first, u32 count, u32 factor, u64 *counts)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
        const u64 weight = combined_weight(row.weight, factor);
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&counts[parameters[feature]], weight);
    }
}
