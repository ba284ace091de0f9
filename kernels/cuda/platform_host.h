/* The definitions that the sources need on a CPU, for an ordinary C compiler. The blocks of a launch
 * run one after another on the calling thread, and the shared memory of a block is thread-local. So
 * launches on several threads do not disturb each other, and an atomic addition is an ordinary one.
 * `platform_cuda.cuh` has the definitions for NVRTC.
 *
 * The threads of a kernel without barriers run one after another in a loop. In a kernel with
 * barriers, each thread runs as a fiber with its own stack, until it waits at a barrier or returns.
 * When every fiber of the block waits or has returned, the waiting fibers continue. A thread that
 * has returned counts as having arrived at the barrier.
 */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define KERNEL void
#define __device__
#define __forceinline__ inline
#define __shared__ static _Thread_local

typedef struct {
    unsigned int x;
} HostIndex;

static _Thread_local HostIndex threadIdx, blockIdx, blockDim, gridDim;

#define atomicAdd(pointer, more) __extension__({ \
    __typeof__(pointer) pointer_ = (pointer); \
    __typeof__(*pointer_) before_ = *pointer_; \
    *pointer_ = before_ + (more); \
    before_; \
})

#define atomicMax(pointer, other) __extension__({ \
    __typeof__(pointer) pointer_ = (pointer); \
    __typeof__(*pointer_) before_ = *pointer_; \
    __typeof__(*pointer_) other_ = (other); \
    *pointer_ = other_ > before_ ? other_ : before_; \
    before_; \
})

static inline unsigned int dot_bytes(unsigned int a, unsigned int b, unsigned int sum)
{
    for (int byte = 0; byte < 32; byte += 8)
        sum += (a >> byte & 255) * (b >> byte & 255);
    return sum;
}

#define __popc(word) ((unsigned int)__builtin_popcount(word))
#define __popcll(word) ((unsigned int)__builtin_popcountll(word))
#define __ffsll(word) __builtin_ffsll(word)

static inline unsigned long long __brevll(unsigned long long word)
{
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(word);
}

/* Fibers. The first switch to a fiber's stack uses ucontext; later switches are long jumps, which
 * make no system call. AddressSanitizer understands only ucontext, so with it there are no jumps. */
#ifdef __SANITIZE_ADDRESS__
#define JUMPS 0
#else
#define JUMPS 1
#endif
#define STACK_BYTES (64 << 10)

typedef void HostCall(void **arguments);
typedef enum { READY, WAITING, RETURNED } HostState;

typedef struct {
    ucontext_t context;
    jmp_buf jump;
    char *stack;
    HostState state;
    int begun;
} HostFiber;

static _Thread_local HostFiber *host_fibers, *host_running;
static _Thread_local unsigned int host_fiber_count;
static _Thread_local ucontext_t host_context;
static _Thread_local jmp_buf host_jump;
static _Thread_local HostCall *host_call;
static _Thread_local void **host_arguments;

static void host_fail(const char *why)
{
    fprintf(stderr, "host-run kernels: %s\n", why);
    abort();
}

static void host_leave_fiber(void)
{
    if (!JUMPS)
        swapcontext(&host_running->context, &host_context);
    else if (!_setjmp(host_running->jump))
        _longjmp(host_jump, 1);
}

static void host_fiber_main(void)
{
    host_call(host_arguments);
    host_running->state = RETURNED;
    host_leave_fiber();
}

static void host_enter_fiber(HostFiber *fiber)
{
    host_running = fiber;
    if (!JUMPS) {
        swapcontext(&host_context, &fiber->context);
    } else if (!_setjmp(host_jump)) {
        if (fiber->begun)
            _longjmp(fiber->jump, 1);
        fiber->begun = 1;
        setcontext(&fiber->context);
    }
    host_running = NULL;
}

static void __syncthreads(void)
{
    if (host_running == NULL)
        host_fail("a barrier in a kernel that the index says has none");
    host_running->state = WAITING;
    host_leave_fiber();
}

static void host_need_fibers(unsigned int count)
{
    if (count <= host_fiber_count)
        return;
    host_fibers = realloc(host_fibers, count * sizeof *host_fibers);
    if (host_fibers == NULL)
        host_fail("no memory for fibers");
    for (; host_fiber_count < count; host_fiber_count++)
        if ((host_fibers[host_fiber_count].stack = malloc(STACK_BYTES)) == NULL)
            host_fail("no memory for a stack");
}

static void host_block_with_barriers(void)
{
    host_need_fibers(blockDim.x);
    for (unsigned int thread = 0; thread < blockDim.x; thread++) {
        HostFiber *fiber = &host_fibers[thread];
        getcontext(&fiber->context);
        fiber->context.uc_stack.ss_sp = fiber->stack;
        fiber->context.uc_stack.ss_size = STACK_BYTES;
        fiber->context.uc_link = NULL;
        makecontext(&fiber->context, host_fiber_main, 0);
        fiber->state = READY;
        fiber->begun = 0;
    }
    for (unsigned int waiting = 1; waiting > 0;) {
        waiting = 0;
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
            HostFiber *fiber = &host_fibers[threadIdx.x];
            if (fiber->state == RETURNED)
                continue;
            fiber->state = READY;
            host_enter_fiber(fiber);
            waiting += fiber->state == WAITING;
        }
    }
}

static void host_block(void)
{
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
        host_call(host_arguments);
}

void host_launch(HostCall *call, void **arguments, unsigned int blocks, unsigned int block, int barriers)
{
    host_call = call;
    host_arguments = arguments;
    gridDim = (HostIndex){blocks};
    blockDim = (HostIndex){block};
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        if (barriers)
            host_block_with_barriers();
        else
            host_block();
}
