// What the device could do at most: each kind of work that the gradient kernels do, alone. For
// `bench`; no fit runs them. Every kernel adds what it found to a checksum, or leaves it in the sums,
// so that none of its work can be left out and the caller sees that it touched what it should.
//
//                    instructions   reads of the stream   memory accesses measured
//   index_only        900            the row, 20 bytes     none
//   global_gathers    65 * 3         65 * 4 bytes          65 gathers of 4 bytes in global memory
//   global_atomics    65 * 3         65 * 4 bytes          65 reductions of 8 bytes in global memory
//   shared_gathers    65 * 4         65 * 2 bytes          65 gathers of 4 bytes in shared memory
//   shared_atomics    65 * 4         65 * 2 bytes          65 atomics of 4 bytes in shared memory
//
// (for each position of the standard set; an estimate from the sources.) The streams hold the
// parameters of the same positions that the gradient kernels run over, computed beforehand, so that the
// accesses meet the same addresses as often, with the same conflicts. `residual_sums` is limited by
// index_only, global_gathers and global_atomics; the tiles by index_only, shared_gathers and
// shared_atomics. Each limit takes one kind of work alone: a kernel that does several reaches it only
// where the others hide behind it.

// Computes the parameters of rows. Checksum: the sum of them all.
KERNEL index_only(const Row *rows, u32 count, u64 *checksum)
{
    u64 total = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, 1, parameters);
        // At most 65 * 2^22.
        u32 sum = 0;
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            sum += parameters[feature];
        total += sum;
    }
    atomicAdd(checksum, total);
}

// Gathers the weights of a stream parameters[feature * count + row]: 32 threads read 128
// neighbouring bytes of it, 65 gathers of a thread do not wait for each other. Checksum: their sum.
KERNEL global_gathers(const u32 *parameters, u32 count, const i32 *weights, u64 *checksum)
{
    i64 total = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        i32 sum = 0;
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            sum += weights[parameters[feature * count + at]];
        total += sum;
    }
    atomicAdd(checksum, (u64)total);
}

// What is added by the atomics: small, and not the same for all threads of a warp, which hardware adds
// up at once where they meet.
INLINE u32 small_term(u32 at)
{
    return 1 + at % 16;
}

// Adds a small term for each parameter of the same stream to its 64-bit sum.
KERNEL global_atomics(const u32 *parameters, u32 count, u64 *sums)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const u64 term = small_term(at);
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&sums[parameters[feature * count + at]], term);
    }
}

// A part of the stream that meets one range of parameters, which fits shared memory.
typedef struct {
    u32 first_parameter;
    u32 classes;
    // Which words of `places`: four places of 16 bits each, counted from the first parameter. The
    // place behind the last class fills up a tile's last word; it is there and counts for nothing.
    u32 begin;
    u32 end;
} Slice;

#define PLACES_PER_WORD 4

// Gathers weights from shared memory: a slice for each block. Checksum: their sum.
KERNEL shared_gathers(const Slice *slices, const u64 *places, const i32 *weights, u64 *checksum)
{
    DYNAMIC_SHARED(i32, table);
    const Slice slice = slices[blockIdx.x];
    for (u32 at = threadIdx.x; at <= slice.classes; at += blockDim.x)
        table[at] = at < slice.classes ? weights[slice.first_parameter + at] : 0;
    __syncthreads();
    i64 total = 0;
#pragma unroll 4
    for (u32 at = slice.begin + threadIdx.x; at < slice.end; at += blockDim.x) {
        const u64 word = places[at];
        i32 sum = 0;
#pragma unroll
        for (u32 place = 0; place < PLACES_PER_WORD; place++)
            sum += table[word >> (16 * place) & 0xFFFF];
        total += sum;
    }
    atomicAdd(checksum, (u64)total);
}

// Adds a small term at each place, in shared memory: at most 16 for each of a slice's places, so that
// 32 bits do. Checksum: the sum of (parameter + 1) * what was added to it.
KERNEL shared_atomics(const Slice *slices, const u64 *places, u64 *checksum)
{
    DYNAMIC_SHARED(u32, table);
    const Slice slice = slices[blockIdx.x];
    for (u32 at = threadIdx.x; at <= slice.classes; at += blockDim.x)
        table[at] = 0;
    __syncthreads();
#pragma unroll 4
    for (u32 at = slice.begin + threadIdx.x; at < slice.end; at += blockDim.x) {
        const u64 word = places[at];
#pragma unroll
        for (u32 place = 0; place < PLACES_PER_WORD; place++)
            atomicAdd(&table[word >> (16 * place) & 0xFFFF], small_term(at));
    }
    __syncthreads();
    u64 total = 0;
    for (u32 at = threadIdx.x; at < slice.classes; at += blockDim.x)
        total += (u64)(slice.first_parameter + at + 1) * table[at];
    atomicAdd(checksum, total);
}
