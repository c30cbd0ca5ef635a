// The processor's instruction for CRC-32C, where it has one. Swift has no intrinsic for it.
//
// Not for: processors without it; CallStoreFormat has tables for those.

#ifndef CCRC32C_H
#define CCRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether this processor has the instruction: SSE 4.2 of x86, or the CRC extension of 64-bit ARM.
bool cdp_has_crc32c(void);

/// Updates the register of a CRC-32C with `count` bytes, eight bytes per instruction, and returns it. The register is
/// not inverted before or after. Call it only if `cdp_has_crc32c` returns true.
uint32_t cdp_crc32c(uint32_t register_, const void *bytes, size_t count);

#endif
