// The processor's instruction for CRC-32C, where it has one. Swift has no word for it.
//
// Not for: processors without it; CallStoreFormat has tables for those.

#ifndef CCRC32C_H
#define CCRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has the instruction: SSE 4.2 of x86, or the CRC extension of 64-bit ARM.
bool cdp_has_crc32c(void);

/// What `count` bytes make of the register of a CRC-32C, eight bytes an instruction. Nothing is inverted before or
/// after. Only where `cdp_has_crc32c` says that there is the instruction.
uint32_t cdp_crc32c(uint32_t register_, const void *bytes, size_t count);

#endif
