/* A library that makes calls of the C library fail. A test loads it into a process by LD_PRELOAD.
 *
 * With OTHELLO_FAIL=KIND:N:ERRNO[:on], the N-th call of a kind (counted from 1) fails with the error number
 * ERRNO; with `:on`, all later calls of this kind fail too. If ERRNO is 0, a read or write transfers too few
 * bytes; if it is -1, the process is killed at the call. The kinds are open, read, write, fsync, rename,
 * truncate, map, unlink and lock. Only calls on files are counted: descriptors above 2, and paths outside the
 * folders of the system. At its end, the process writes the number of calls of each kind to the file that
 * OTHELLO_CALLS names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, FSYNC, RENAME, TRUNCATE, MAP, UNLINK, LOCK, KINDS };
static const char *const names[KINDS] = {"open",     "read", "write",  "fsync", "rename",
                                         "truncate", "map",  "unlink", "lock"};
static atomic_long calls[KINDS];
static int wanted = -1, number_of_error, goes_on;
static long wanted_call;

__attribute__((constructor)) static void begin(void) {
    const char *fail = getenv("OTHELLO_FAIL");
    char name[16], more[16] = "";
    if (fail && sscanf(fail, "%15[^:]:%ld:%d:%15s", name, &wanted_call, &number_of_error, more) >= 3) {
        for (int kind = 0; kind < KINDS; kind++)
            if (!strcmp(name, names[kind])) wanted = kind;
        goes_on = !strcmp(more, "on");
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("OTHELLO_CALLS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", names[kind], calls[kind]);
    fclose(file);
}

/* Counts a call. Returns 1 and sets errno if the call must fail, -1 if it must transfer too few bytes, otherwise 0. */
static int fails(enum kind kind) {
    long call = atomic_fetch_add(&calls[kind], 1) + 1;
    if ((int)kind != wanted || (goes_on ? call < wanted_call : call != wanted_call)) return 0;
    if (number_of_error < 0) raise(SIGKILL);
    errno = number_of_error;
    return number_of_error ? 1 : -1;
}

static int of_the_system(const char *path) {
    static const char *const folders[] = {"/proc", "/sys", "/dev", "/etc", "/usr", "/lib"};
    for (unsigned n = 0; n < sizeof folders / sizeof *folders; n++)
        if (!strncmp(path, folders[n], strlen(folders[n]))) return 1;
    return 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENS(name)                                                 \
    int name(const char *path, int flags, ...) {                    \
        va_list list;                                               \
        va_start(list, flags);                                      \
        mode_t mode = va_arg(list, mode_t);                         \
        va_end(list);                                               \
        if (!of_the_system(path) && fails(OPEN)) return -1;         \
        return NEXT(name)(path, flags, mode);                       \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                              \
    int name(int folder, const char *path, int flags, ...) {        \
        va_list list;                                               \
        va_start(list, flags);                                      \
        mode_t mode = va_arg(list, mode_t);                         \
        va_end(list);                                               \
        if (!of_the_system(path) && fails(OPEN)) return -1;         \
        return NEXT(name)(folder, path, flags, mode);               \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t read(int file, void *bytes, size_t count) {
    int how = file > 2 ? fails(READ) : 0;
    if (how > 0) return -1;
    return NEXT(read)(file, bytes, how < 0 ? (count + 1) / 2 : count);
}

ssize_t write(int file, const void *bytes, size_t count) {
    int how = file > 2 ? fails(WRITE) : 0;
    if (how > 0) return -1;
    return NEXT(write)(file, bytes, how < 0 ? (count + 1) / 2 : count);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    int how = file > 2 ? fails(WRITE) : 0;
    if (how > 0) return -1;
    return NEXT(writev)(file, parts, how < 0 ? (count + 1) / 2 : count);
}

#define ON_A_FILE(kind, name, parameters, ...)                      \
    int name parameters {                                           \
        if (fails(kind) > 0) return -1;                             \
        return NEXT(name)(__VA_ARGS__);                             \
    }
ON_A_FILE(FSYNC, fsync, (int file), file)
ON_A_FILE(FSYNC, fdatasync, (int file), file)
ON_A_FILE(TRUNCATE, ftruncate, (int file, off_t length), file, length)
ON_A_FILE(TRUNCATE, ftruncate64, (int file, off64_t length), file, length)
ON_A_FILE(RENAME, rename, (const char *from, const char *to), from, to)
ON_A_FILE(UNLINK, unlink, (const char *path), path)
int flock(int, int);
ON_A_FILE(LOCK, flock, (int file, int how), file, how)

#define MAPS(name, offset_type)                                                                       \
    void *name(void *at, size_t length, int protection, int flags, int file, offset_type offset) {    \
        if (file > 2 && fails(MAP) > 0) return MAP_FAILED;                                            \
        return NEXT(name)(at, length, protection, flags, file, offset);                               \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)
