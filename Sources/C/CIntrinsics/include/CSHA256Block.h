// SHA-256 of a message of up to 16 bytes, by the processor's own instructions.
//
// Not for: longer messages, or processors without these instructions (ContentHash uses swift-crypto for both).

#ifndef CSHA256BLOCK_H
#define CSHA256BLOCK_H

#include <stdint.h>

/// Whether the processor has the instructions.
int cdp_sha256_block_supported(void);

/// The first 8 bytes of the SHA-256 of a message, as a little-endian number. The message is the first `count` bytes, up to
/// 16, of two little-endian numbers, whose other bytes are 0. The processor must have the instructions.
uint64_t cdp_sha256_block_prefix(uint64_t low, uint64_t high, unsigned count);

#endif
