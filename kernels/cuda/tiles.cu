// The fast way: chunks of rows, and tiles of (pattern, range of classes) that fit shared memory for
// both the gathers and the sums. The same bytes as the simple way.
//
// For each chunk (about 128k rows, so that its scratch of some 150 bytes a row stays in the level-2
// cache):
//
//   find_classes    each row's classes, 16 bits each, feature by feature: 130 bytes a row written
//   add_tiles       values: for each tile a block copies the tile's weights into shared memory and
//                   runs through its slice of the rows: a class read, a shared gather, and for each
//                   pattern one 32-bit reduction into the row's value
//   weigh           residual and weight of each row, once
//   scatter_tiles   sums: the same tiles again, with shared 32-bit atomics, then one 64-bit global
//                   reduction for each class that was met
//
// Per position: 900 instructions of classes, 65 shared gathers, 17 global 32-bit reductions, 65
// shared 32-bit atomics; a row's classes are read twice. Global 64-bit reductions fall from 65 a
// position to the classes of a tile in a slice.
//
// A scalar feature is a pattern of one instance and 65 classes here.

// A range of one pattern's classes, and the features that have that pattern.
typedef struct {
    u32 first_feature;
    u32 features;
    u32 first_class;
    u32 classes;
    // The parameter of the first class of the range.
    u32 first_parameter;
} Tile;

// Classes of `count` rows from `first` on: classes[feature * stride + row].
KERNEL find_classes(const Row *rows, u32 first, u32 count, u32 stride, u16 *classes)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[first + at];
        u32 found[FEATURE_ARRAY];
        find_parameters(&row, 0, found);
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            classes[feature * stride + at] = (u16)found[feature];
    }
}

// Adds the weights of a tile's classes to the values of a slice of rows. Grid: tiles, slices.
KERNEL add_tiles(const Tile *tiles, const u16 *classes, u32 count, u32 stride, u32 slice,
                 const i32 *weights, i32 *values)
{
    DYNAMIC_SHARED(i32, table);
    const Tile tile = tiles[blockIdx.x];
    const u32 begin = blockIdx.y * slice;
    const u32 end = begin + slice < count ? begin + slice : count;

    for (u32 at = threadIdx.x; at < tile.classes; at += blockDim.x)
        table[at] = weights[tile.first_parameter + at];
    __syncthreads();
    for (u32 row = begin + threadIdx.x; row < end; row += blockDim.x) {
        i32 sum = 0;
        for (u32 feature = 0; feature < tile.features; feature++) {
            // A class below the range wraps around and is too large as well.
            const u32 at = classes[(tile.first_feature + feature) * stride + row] - tile.first_class;
            if (at < tile.classes)
                sum += table[at];
        }
        if (sum != 0)
            atomicAdd(&values[row], sum);
    }
}

// Each row's weight * residual from its value, which becomes 0 again for the next chunk.
KERNEL weigh(const Row *rows, u32 first, u32 count, u32 factor, u32 labels, i32 *values,
             i64 *weighted, u64 *squared)
{
    Wide total = {0, 0};
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row *row = &rows[first + at];
        const i64 error = residual(labels ? row->label : 0, values[at]);
        const i64 product = error * (i64)combined_weight(row->weight, factor);
        add_wide(&total, (u64)(product * error));
        weighted[at] = product;
        values[at] = 0;
    }
    flush_wide(squared, total);
}

// A sum in shared memory is the low 32 bits of the tile's share, counted from the middle of their
// range; what goes beyond either end is carried to the 64-bit sum in global memory at once. So
// nothing is lost whatever the rows are, and no count of rows between flushes is needed: with
// one occurrence a row and errors of 8 discs, a class is carried once in 4,096 meetings at most. (A
// bound on what fits between flushes would have to assume that all rows meet one class: 1,024 rows
// at those errors, fewer than the classes that a flush writes.) A 64-bit atomic on shared memory
// would need no carry, but is a loop of compare and swap.
#define MIDDLE 0x80000000u

INLINE void add_carrying(u32 *low, u64 *total, i64 term)
{
    const u32 more = (u32)(u64)term;
    const u32 before = atomicAdd(low, more);
    // The term is high * 2^32 + more with the sign in `high`; adding `more` may wrap.
    const i64 high = (term >> 32) + (before + more < before);
    if (high != 0)
        atomicAdd(total, (u64)(high * (1ll << 32)));
}

// Adds a slice's products to the sums of a tile's classes. Grid: tiles, slices.
KERNEL scatter_tiles(const Tile *tiles, const u16 *classes, u32 count, u32 stride, u32 slice,
                     const i64 *weighted, u64 *sums)
{
    DYNAMIC_SHARED(u32, low);
    const Tile tile = tiles[blockIdx.x];
    const u32 begin = blockIdx.y * slice;
    const u32 end = begin + slice < count ? begin + slice : count;
    u64 *totals = &sums[tile.first_parameter];

    for (u32 at = threadIdx.x; at < tile.classes; at += blockDim.x)
        low[at] = MIDDLE;
    __syncthreads();
    for (u32 row = begin + threadIdx.x; row < end; row += blockDim.x) {
        const i64 term = weighted[row];
        for (u32 feature = 0; feature < tile.features; feature++) {
            const u32 at = classes[(tile.first_feature + feature) * stride + row] - tile.first_class;
            if (at < tile.classes)
                add_carrying(&low[at], &totals[at], term);
        }
    }
    __syncthreads();
    for (u32 at = threadIdx.x; at < tile.classes; at += blockDim.x)
        if (low[at] != MIDDLE)
            atomicAdd(&totals[at], (u64)((i64)low[at] - (i64)MIDDLE));
}
