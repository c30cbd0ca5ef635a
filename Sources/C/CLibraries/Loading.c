// Opens libzip and resolves its functions.

#include "LibZip.h"

#ifdef CDPIPE_HAS_LIBZIP

#include <CLibraryLoader.h>
#include <pthread.h>
#include <stddef.h>

static const char *const file_names[] = {
#ifdef __APPLE__
    "libzip.5.dylib", "/opt/homebrew/lib/libzip.5.dylib", "/usr/local/lib/libzip.5.dylib",
    "/opt/local/lib/libzip.5.dylib",
#else
    "libzip.so.5", "libzip.so.4",
#endif
    NULL,
};

struct cdp_zip_functions cdp_libzip;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct cdp_zip_functions, member), 0}
#define OPTIONAL_SYMBOL(name, member) {name, offsetof(struct cdp_zip_functions, member), 1}

static const cdp_library_symbol symbols[] = {
    SYMBOL("zip_source_function_create", source_function_create),
    SYMBOL("zip_source_free", source_free),
    SYMBOL("zip_source_seek_compute_offset", source_seek_compute_offset),
    SYMBOL("zip_open_from_source", open_from_source),
    SYMBOL("zip_discard", discard),
    SYMBOL("zip_get_error", get_error),
    SYMBOL("zip_fopen_index_encrypted", fopen_index_encrypted),
    SYMBOL("zip_fread", fread),
    SYMBOL("zip_file_get_error", file_get_error),
    SYMBOL("zip_fclose", fclose),
    SYMBOL("zip_error_init", error_init),
    SYMBOL("zip_error_fini", error_fini),
    SYMBOL("zip_error_set", error_set),
    SYMBOL("zip_error_to_data", error_to_data),
    SYMBOL("zip_error_strerror", error_strerror),
    OPTIONAL_SYMBOL("zip_compression_method_supported", compression_method_supported),
    OPTIONAL_SYMBOL("zip_encryption_method_supported", encryption_method_supported),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) { load_error = cdp_library_load(&library, &cdp_libzip); }

int cdp_zip_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_zip_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_zip_library_name(void) { return file_names[0]; }

_Bool cdp_zip_method_is_supported(uint16_t method) {
  return !cdp_libzip.compression_method_supported || cdp_libzip.compression_method_supported(method, 0);
}

_Bool cdp_zip_encryption_is_supported(unsigned strength) {
  static const zip_uint16_t methods[] = {ZIP_EM_TRAD_PKWARE, ZIP_EM_AES_128, ZIP_EM_AES_192, ZIP_EM_AES_256};
  if (strength >= sizeof methods / sizeof methods[0]) return 0;
  return !cdp_libzip.encryption_method_supported || cdp_libzip.encryption_method_supported(methods[strength], 0);
}

#else

#include <errno.h>

int cdp_zip_load(void) { return ENOENT; }
_Bool cdp_zip_library_is_usable(const char *file_name) { return (void)file_name, 0; }
const char *cdp_zip_library_name(void) { return "libzip"; }
_Bool cdp_zip_method_is_supported(uint16_t method) { return (void)method, 0; }
_Bool cdp_zip_encryption_is_supported(unsigned strength) { return (void)strength, 0; }

#endif
