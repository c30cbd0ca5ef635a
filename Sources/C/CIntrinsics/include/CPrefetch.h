// The processor's prefetch instruction, which Swift lacks.

#ifndef CPREFETCH_H
#define CPREFETCH_H

/// Starts loading the cache line at an address without waiting for it. Invalid addresses are ignored.
static inline void cdp_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
