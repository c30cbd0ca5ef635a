// Counts a program's allocations: loaded with LD_PRELOAD, it prints one line on standard error at the end,
//
//   allocations: 1234
//
// the number of calls to malloc, calloc, realloc, aligned_alloc and posix_memalign. It shows that a loop does not
// allocate: more rounds must not increase the count. Not for finding the callers.
//
//   cc -shared -fPIC -O2 -o count_allocations.so count_allocations.c
//
// glibc exports the underlying functions as __libc_malloc and so on, so no symbol lookup is needed, which would itself
// allocate.

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
  count();
  return __libc_calloc(elements, size);
}

void *realloc(void *block, size_t size) {
  count();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count();
  void *found = __libc_memalign(alignment, size);
  if (!found) return ENOMEM;
  *block = found;
  return 0;
}

__attribute__((destructor)) static void report(void) {
  char line[64];
  // Read the count before snprintf can allocate.
  int length = snprintf(line, sizeof line, "allocations: %lu\n", atomic_load(&allocations));
  if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) return;
}
