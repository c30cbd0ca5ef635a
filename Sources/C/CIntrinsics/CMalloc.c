#include "CMalloc.h"

// Any libc header defines __GLIBC__ if it is glibc.
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void cdp_return_large_blocks(void) {
#if defined(__GLIBC__)
  // Setting the threshold also stops glibc from raising it.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
