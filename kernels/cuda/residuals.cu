// One thread for each position, gathers and reductions in global memory.
//
// Per position: about 900 instructions for the parameters (see positions.cuh), 65 gathers of 4
// bytes, 65 reductions of 8 bytes without a result (red.global.add.u64). A phase's weights (1.3 MB)
// and sums (2.6 MB) stay in the level-2 cache; the 20 bytes of the row are all that main memory
// gives. So the reductions bind: 65 of them for each position. The parameters stay in registers
// between gather and reduction (ptxas takes 96 registers on sm_80, 130 on sm_90): a second computation
// costs more than the occupancy that it would buy, since the 65 gathers of a thread are independent
// of each other. All in all about 1,500 PTX instructions a position. An H200 does 953 million positions a
// second, as many as by these reductions alone.

// Adds weight * residual of rows first .. first + count to each parameter's sum, and
// weight * residual^2 to the two halves of `squared`. `labels` 0: the residual is that of label 0.
KERNEL residual_sums(const Row *rows, u32 first, u32 count, u32 factor, u32 labels,
                     const i32 *weights, u64 *sums, u64 *squared)
{
    Wide total = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
        const i64 error = residual(labels ? row.label : 0, sum_of(weights, parameters));
        // Below 2^16 * 2^23 in size; the bound on all rows together keeps the sums below 2^63.
        const i64 weighted = error * (i64)combined_weight(row.weight, factor);
        add_wide(&total, (u64)(weighted * error));
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&sums[parameters[feature]], (u64)weighted);
    }
    // Two atomics for each thread, which does many rows: nothing to gain from reducing in the block.
    flush_wide(squared, total);
}

// Adds each row's weight to the counts of its parameters, in 1/64 occurrence.
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
