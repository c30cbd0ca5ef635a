// The processor's hint that memory will be read soon. Swift has no word for it.

#ifndef CPREFETCH_H
#define CPREFETCH_H

/// Starts to bring the cache line at an address into the caches, and goes on at once. Any address will do: one that is
/// not there is passed over.
static inline void cdp_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
