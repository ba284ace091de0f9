// The layout that other trainers use, written by ourselves, to be measured beside our own: rows of
// precomputed 16-bit numbers, doubles, and atomics whose order decides the last bits of their sums. For
// `bench`; no fit runs them.
//
// Per position: 144 bytes of main memory instead of 20, 65 reads of 2 bytes by threads that are 144
// bytes apart, 65 gathers of 8 bytes, and then
//
//   mirrored_gradient   a table by configuration, in which mirrored configurations are kept equal: 65
//                       reads of the mirror's number and 130 atomics of 8 bytes, on a table of 4.9 MB
//   folded_gradient     a table by class, so that both are one weight: 65 atomics of 8 bytes, on a table
//                       of 2.6 MB
//
// Nothing is computed from the board. What they leave out that ours does: the squared error.

#define WIDE_FEATURES 65

// 144 bytes. `weight` stands where the usual row has only padding.
typedef struct {
    // Configurations or classes, each counted from the first of its pattern.
    u16 numbers[WIDE_FEATURES];
    u16 unused;
    // In occurrences.
    float weight;
    // In discs.
    double label;
} WideRow;

// weight * (label - value) of a row, whose places in the table it writes.
INLINE double wide_error(const WideRow *row, const u32 *firsts, const double *weights, u32 *places)
{
    double value = 0.0;
#pragma unroll
    for (u32 feature = 0; feature < FEATURES; feature++) {
        places[feature] = firsts[feature] + row->numbers[feature];
        value += weights[places[feature]];
    }
    return (double)row->weight * (row->label - value);
}

// Adds each row's error to the gradient of its configurations and of their mirrors. What is its own
// mirror gets it twice.
KERNEL mirrored_gradient(const WideRow *rows, u32 count, const u32 *firsts, const double *weights,
                         const u32 *mirrors, double *gradient)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        u32 places[FEATURE_ARRAY];
        const double error = wide_error(&rows[at], firsts, weights, places);
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++) {
            atomicAdd(&gradient[places[feature]], error);
            atomicAdd(&gradient[mirrors[places[feature]]], error);
        }
    }
}

// Adds each row's error to the gradient of its classes.
KERNEL folded_gradient(const WideRow *rows, u32 count, const u32 *firsts, const double *weights,
                       double *gradient)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        u32 places[FEATURE_ARRAY];
        const double error = wide_error(&rows[at], firsts, weights, places);
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&gradient[places[feature]], error);
    }
}
