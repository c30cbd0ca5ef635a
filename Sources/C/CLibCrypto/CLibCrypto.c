// See the header. All calls go through a table of functions that is filled when the library is opened.
//
// Source of the functions: OpenSSL 3.0, include/openssl/evp.h, err.h and obj_mac.h (https://docs.openssl.org/3.0/man7/).

#include "CLibCrypto.h"

#include <CLibraryLoader.h>
#include <pthread.h>

typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct evp_md_ctx_st EVP_MD_CTX;

// NID_ED25519; the numbers are part of the ABI.
#define EVP_PKEY_ED25519 1087

struct api {
  EVP_PKEY_CTX *(*key_context)(int, void *);
  void (*release_key_context)(EVP_PKEY_CTX *);
  int (*prepare_key)(EVP_PKEY_CTX *);
  int (*make_key)(EVP_PKEY_CTX *, EVP_PKEY **);
  EVP_PKEY *(*private_key)(int, void *, const uint8_t *, size_t);
  EVP_PKEY *(*public_key)(int, void *, const uint8_t *, size_t);
  int (*seed)(const EVP_PKEY *, uint8_t *, size_t *);
  int (*public_bytes)(const EVP_PKEY *, uint8_t *, size_t *);
  void (*release_key)(EVP_PKEY *);
  EVP_MD_CTX *(*context)(void);
  void (*release_context)(EVP_MD_CTX *);
  int (*prepare_sign)(EVP_MD_CTX *, EVP_PKEY_CTX **, const void *, void *, EVP_PKEY *);
  int (*sign)(EVP_MD_CTX *, uint8_t *, size_t *, const uint8_t *, size_t);
  int (*prepare_verify)(EVP_MD_CTX *, EVP_PKEY_CTX **, const void *, void *, EVP_PKEY *);
  int (*verify)(EVP_MD_CTX *, const uint8_t *, size_t, const uint8_t *, size_t);
  void (*clear_errors)(void);
};

static const char *const file_names[] = {
    "libcrypto.so.3",
    NULL,
};

static struct api crypto;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct api, member), 0}

static const cdp_library_symbol symbols[] = {
    SYMBOL("EVP_PKEY_CTX_new_id", key_context),
    SYMBOL("EVP_PKEY_CTX_free", release_key_context),
    SYMBOL("EVP_PKEY_keygen_init", prepare_key),
    SYMBOL("EVP_PKEY_keygen", make_key),
    SYMBOL("EVP_PKEY_new_raw_private_key", private_key),
    SYMBOL("EVP_PKEY_new_raw_public_key", public_key),
    SYMBOL("EVP_PKEY_get_raw_private_key", seed),
    SYMBOL("EVP_PKEY_get_raw_public_key", public_bytes),
    SYMBOL("EVP_PKEY_free", release_key),
    SYMBOL("EVP_MD_CTX_new", context),
    SYMBOL("EVP_MD_CTX_free", release_context),
    SYMBOL("EVP_DigestSignInit", prepare_sign),
    SYMBOL("EVP_DigestSign", sign),
    SYMBOL("EVP_DigestVerifyInit", prepare_verify),
    SYMBOL("EVP_DigestVerify", verify),
    SYMBOL("ERR_clear_error", clear_errors),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) { load_error = cdp_library_load(&library, &crypto); }

int cdp_crypto_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_crypto_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_crypto_library_name(void) { return file_names[0]; }

// The library keeps its errors in a list per thread. Here they are known by the results.
static _Bool ended(_Bool is_fine) {
  if (!is_fine) crypto.clear_errors();
  return is_fine;
}

_Bool cdp_ed25519_make_seed(uint8_t *seed) {
  size_t count = CDP_ED25519_KEY_BYTES;
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = crypto.key_context(EVP_PKEY_ED25519, NULL);
  _Bool is_fine = context && crypto.prepare_key(context) == 1 && crypto.make_key(context, &key) == 1 &&
                  crypto.seed(key, seed, &count) == 1 && count == CDP_ED25519_KEY_BYTES;
  // Both accept NULL.
  crypto.release_key(key);
  crypto.release_key_context(context);
  return ended(is_fine);
}

_Bool cdp_ed25519_public_key(const uint8_t *seed, uint8_t *public_key) {
  size_t count = CDP_ED25519_KEY_BYTES;
  EVP_PKEY *key = crypto.private_key(EVP_PKEY_ED25519, NULL, seed, CDP_ED25519_KEY_BYTES);
  _Bool is_fine = key && crypto.public_bytes(key, public_key, &count) == 1 && count == CDP_ED25519_KEY_BYTES;
  crypto.release_key(key);
  return ended(is_fine);
}

_Bool cdp_ed25519_sign(const uint8_t *seed, const uint8_t *message, size_t count, uint8_t *signature) {
  size_t written = CDP_ED25519_SIGNATURE_BYTES;
  EVP_PKEY *key = crypto.private_key(EVP_PKEY_ED25519, NULL, seed, CDP_ED25519_KEY_BYTES);
  EVP_MD_CTX *context = crypto.context();
  // Ed25519 has a hash function of its own, so none is named.
  _Bool is_fine = key && context && crypto.prepare_sign(context, NULL, NULL, NULL, key) == 1 &&
                  crypto.sign(context, signature, &written, message, count) == 1 &&
                  written == CDP_ED25519_SIGNATURE_BYTES;
  crypto.release_context(context);
  crypto.release_key(key);
  return ended(is_fine);
}

_Bool cdp_ed25519_check(
    const uint8_t *public_key, const uint8_t *message, size_t count, const uint8_t *signature, _Bool *is_valid) {
  *is_valid = 0;
  EVP_PKEY *key = crypto.public_key(EVP_PKEY_ED25519, NULL, public_key, CDP_ED25519_KEY_BYTES);
  EVP_MD_CTX *context = crypto.context();
  _Bool is_fine = key && context && crypto.prepare_verify(context, NULL, NULL, NULL, key) == 1;
  if (is_fine) {
    // 1 if the signature is valid, 0 if not; negative numbers are failures.
    const int answer = crypto.verify(context, signature, CDP_ED25519_SIGNATURE_BYTES, message, count);
    *is_valid = answer == 1;
    is_fine = answer >= 0;
    if (answer == 0) crypto.clear_errors();
  }
  crypto.release_context(context);
  crypto.release_key(key);
  return ended(is_fine);
}
