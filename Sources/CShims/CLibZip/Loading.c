// libzip is opened under its usual names, and the functions that are needed are resolved.

#include "LibZip.h"

#ifdef CDPIPE_HAS_LIBZIP

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static const char *const usual_names[] = {
#ifdef __APPLE__
    "libzip.5.dylib", "/opt/homebrew/lib/libzip.5.dylib", "/usr/local/lib/libzip.5.dylib",
    "/opt/local/lib/libzip.5.dylib",
#else
    "libzip.so.5", "libzip.so.4",
#endif
};

struct cdp_zip_functions cdp_libzip;
static cdp_zip_loading loading = CDP_ZIP_MISSING;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// POSIX says that a data pointer from dlsym may be a function; ISO C wants the detour through memory.
static _Bool resolve(void *library, const char *name, void *slot) {
  void *function = dlsym(library, name);
  memcpy(slot, &function, sizeof function);
  return function != NULL;
}

static cdp_zip_loading open_library(const char *name, struct cdp_zip_functions *functions, void **library) {
  *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!*library) return CDP_ZIP_MISSING;
  _Bool whole = resolve(*library, "zip_source_function_create", &functions->source_function_create) &&
                resolve(*library, "zip_source_free", &functions->source_free) &&
                resolve(*library, "zip_source_seek_compute_offset", &functions->source_seek_compute_offset) &&
                resolve(*library, "zip_open_from_source", &functions->open_from_source) &&
                resolve(*library, "zip_discard", &functions->discard) &&
                resolve(*library, "zip_get_error", &functions->get_error) &&
                resolve(*library, "zip_fopen_index_encrypted", &functions->fopen_index_encrypted) &&
                resolve(*library, "zip_fread", &functions->fread) &&
                resolve(*library, "zip_file_get_error", &functions->file_get_error) &&
                resolve(*library, "zip_fclose", &functions->fclose) &&
                resolve(*library, "zip_error_init", &functions->error_init) &&
                resolve(*library, "zip_error_fini", &functions->error_fini) &&
                resolve(*library, "zip_error_set", &functions->error_set) &&
                resolve(*library, "zip_error_to_data", &functions->error_to_data) &&
                resolve(*library, "zip_error_strerror", &functions->error_strerror);
  resolve(*library, "zip_compression_method_supported", &functions->compression_method_supported);
  resolve(*library, "zip_encryption_method_supported", &functions->encryption_method_supported);
  if (whole) return CDP_ZIP_LOADED;
  dlclose(*library);
  *library = NULL;
  return CDP_ZIP_UNUSABLE;
}

static void load_once(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof usual_names / sizeof usual_names[0] && !library; i++) {
    cdp_zip_loading result = open_library(usual_names[i], &cdp_libzip, &library);
    if (result != CDP_ZIP_MISSING) loading = result;
  }
}

cdp_zip_loading cdp_zip_load(void) {
  pthread_once(&once, load_once);
  return loading;
}

cdp_zip_loading cdp_zip_try_loading(const char *name) {
  struct cdp_zip_functions functions;
  void *library = NULL;
  cdp_zip_loading result = open_library(name, &functions, &library);
  if (library) dlclose(library);
  return result;
}

const char *cdp_zip_library_name(void) { return usual_names[0]; }

_Bool cdp_zip_method_is_supported(uint16_t method) {
  return !cdp_libzip.compression_method_supported || cdp_libzip.compression_method_supported(method, 0);
}

_Bool cdp_zip_encryption_is_supported(unsigned strength) {
  static const zip_uint16_t methods[] = {ZIP_EM_TRAD_PKWARE, ZIP_EM_AES_128, ZIP_EM_AES_192, ZIP_EM_AES_256};
  if (strength >= sizeof methods / sizeof methods[0]) return 0;
  return !cdp_libzip.encryption_method_supported || cdp_libzip.encryption_method_supported(methods[strength], 0);
}

#else

cdp_zip_loading cdp_zip_load(void) { return CDP_ZIP_MISSING; }
cdp_zip_loading cdp_zip_try_loading(const char *name) { return (void)name, CDP_ZIP_MISSING; }
const char *cdp_zip_library_name(void) { return "libzip"; }
_Bool cdp_zip_method_is_supported(uint16_t method) { return (void)method, 0; }
_Bool cdp_zip_encryption_is_supported(unsigned strength) { return (void)strength, 0; }

#endif
