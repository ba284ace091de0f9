// Errors of weights on held-out rows. Each position takes about 900 instructions and 65 gathers,
// and nothing is scattered.

// Adds sums over rows first .. first + count to `totals`: the weights to [0], weight * |error| to
// [1], and the two halves of weight * error^2 to [2] and [3]. Since weight * |error| is below 2^16
// * 2^17, [1] does not overflow for 2^31 rows.
KERNEL errors(const Row *rows, u32 first, u32 count, u32 factor, const i32 *weights, u64 *totals)
{
    u64 weight = 0;
    u64 absolute = 0;
    Wide squared = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
        const i32 error = clamped_error(row.label, sum_of(weights, parameters));
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
