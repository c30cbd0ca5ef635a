// SHA-256, by the processor's own instructions where it has them.
//
// Not for: signatures (CLibCrypto), nor what Apple platforms have a library for (ContentHash chooses).

#ifndef CDPIPE_SHA256_H
#define CDPIPE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// Whether the processor has instructions for SHA-256.
_Bool cdp_sha256_has_instructions(void);

/// The hash of bytes that arrive in pieces. A copy continues on its own.
typedef struct cdp_sha256 {
  uint32_t state[8];
  /// The number of bytes so far.
  uint64_t count;
  /// The last bytes, which do not fill a block yet.
  uint8_t rest[64];
  /// Does without the processor's instructions, for tests.
  _Bool is_portable;
} cdp_sha256;

/// Returns the hash of no bytes.
cdp_sha256 cdp_sha256_start(void);
/// Adds bytes.
void cdp_sha256_add(cdp_sha256 *hash, const void *bytes, size_t count);
/// Writes the 32 bytes of the hash so far.
void cdp_sha256_finish(cdp_sha256 hash, uint8_t *digest);

/// The first 8 bytes of the SHA-256 of a message, as a little-endian number. The message is the first `count` bytes, up to
/// 16, of two little-endian numbers, whose other bytes are 0. `is_portable`: as above.
uint64_t cdp_sha256_prefix(uint64_t low, uint64_t high, unsigned count, _Bool is_portable);

#endif
