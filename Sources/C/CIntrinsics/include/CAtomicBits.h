// A set of bits that several threads read and add to. Swift's own atomics need iOS 18.

#ifndef CATOMICBITS_H
#define CATOMICBITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether a bit is set. The order relative to other memory is not defined.
static inline bool cdp_contains_bit(const uint64_t *words, size_t bit) {
  return __atomic_load_n(&words[bit / 64], __ATOMIC_RELAXED) >> (bit % 64) & 1;
}

/// Sets a bit.
static inline void cdp_insert_bit(uint64_t *words, size_t bit) {
  __atomic_fetch_or(&words[bit / 64], (uint64_t)1 << (bit % 64), __ATOMIC_RELAXED);
}

#endif
