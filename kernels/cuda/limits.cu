// What the device could do at most: each kind of work that the gradient kernels do, alone. For
// `bench`; no fit runs them. Every kernel adds what it found to a checksum, or leaves it in the sums,
// so that none of its work can be left out and the caller sees that it touched what it should.
//
//                  instructions  stream read    memory accesses measured
//   index_only         1,150       20, the row    none
//   global_gathers       550       65 * 4 bytes   65 gathers of 4 bytes in global memory
//   global_atomics       480       65 * 4 bytes   65 reductions of 8 bytes in global memory
//
// (For each position of the standard set; PTX instructions, counted in what NVRTC writes.) Streams
// hold the parameters of the same positions that the gradient kernels run over, computed beforehand,
// so that the accesses meet the same addresses as often, with about the same conflicts. Each limit
// takes one kind of work alone: `residual_sums`, which does all three, reaches the least of them only
// where the others hide behind it.

// Computes the parameters of rows. Checksum: the sum of them all.
KERNEL index_only(const Row *rows, u32 count, u64 *checksum)
{
    u64 total = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, parameters);
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
        // All reads come before the first atomic, which the compiler lets none pass.
        u32 found[FEATURE_ARRAY];
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            found[feature] = parameters[feature * count + at];
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&sums[found[feature]], small_term(at));
    }
}
