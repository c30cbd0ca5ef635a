// Ed25519 by OpenSSL's libcrypto, opened when the first signature is made or checked. The few functions are declared here,
// so its header is not needed to build.
//
// Not for: SHA-256 (CSHA256), or Apple platforms, which have CryptoKit.

#ifndef CDPIPE_LIBCRYPTO_H
#define CDPIPE_LIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

enum {
  /// The number of bytes of a public key, and of the seed of a private key.
  CDP_ED25519_KEY_BYTES = 32,
  /// The number of bytes of a signature.
  CDP_ED25519_SIGNATURE_BYTES = 64,
};

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_crypto_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_crypto_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_crypto_library_name(void);

// The functions below return whether they succeeded: memory may run out, and a system's policy may forbid Ed25519. The
// library must be loaded.

/// Makes a random private key, and writes its seed.
_Bool cdp_ed25519_make_seed(uint8_t *seed);
/// Writes the public key of a private key.
_Bool cdp_ed25519_public_key(const uint8_t *seed, uint8_t *public_key);
/// Writes the signature of a message.
_Bool cdp_ed25519_sign(const uint8_t *seed, const uint8_t *message, size_t count, uint8_t *signature);
/// Finds out whether a signature of a message was made with the private key of this public key.
_Bool cdp_ed25519_check(
    const uint8_t *public_key, const uint8_t *message, size_t count, const uint8_t *signature, _Bool *is_valid);

#endif
