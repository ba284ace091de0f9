// What the sources need of the platform, for NVRTC. `platform_host.h` is the same for an ordinary C
// compiler: everything else, from the pattern set's header on, is the same bytes in both.

#define KERNEL extern "C" __global__ void

// A kernel's dynamic shared memory, as an array. Its size is given at launch.
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
