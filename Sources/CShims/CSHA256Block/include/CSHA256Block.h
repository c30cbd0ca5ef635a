// SHA-256 of a message that fits into one block, by the processor's own instructions.
//
// Not for: longer messages, or processors without these instructions (ContentHash uses swift-crypto for both).

#ifndef CSHA256BLOCK_H
#define CSHA256BLOCK_H

#include <stddef.h>
#include <stdint.h>

/// The maximum length of a message in bytes: a block has 64, of which the padding needs 9.
#define CDP_SHA256_BLOCK_MESSAGE_MAX 55

/// Whether the processor has the instructions.
int cdp_sha256_block_supported(void);

/// The first 8 bytes of the SHA-256 of a message, as a little-endian number. `count` is at most
/// CDP_SHA256_BLOCK_MESSAGE_MAX, and the processor has the instructions.
uint64_t cdp_sha256_block_prefix(const uint8_t *message, size_t count);

#endif
