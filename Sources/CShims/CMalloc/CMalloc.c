#include "CMalloc.h"

// Any of libc's headers says whose libc it is.
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void cdp_return_large_blocks(void) {
#if defined(__GLIBC__)
  // Setting the bound once also ends its growing.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
