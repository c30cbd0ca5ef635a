#include "CLibraryLoader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static _Bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && !strcmp(text + length - end_length, end);
}

static _Bool is_limit(int code) { return code == EMFILE || code == ENFILE || code == ENOMEM; }

// Why the last dlopen of this thread failed: EMFILE, ENFILE or ENOMEM if the machine lacks something, else ENOENT.
//
// dlopen does not set errno reliably. glibc ends its message with that of the error number, except that it has messages
// of its own for memory. For other systems a descriptor is opened, which fails for the same reason.
static int open_error(void) {
  static const int limits[] = {EMFILE, ENFILE, ENOMEM};
  const char *text = dlerror();
  if (text) {
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
      if (ends_with(text, strerror(limits[i]))) return limits[i];
    }
    if (ends_with(text, "out of memory") || ends_with(text, "failed to map segment from shared object")) return ENOMEM;
  }
  int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return is_limit(errno) ? errno : ENOENT;
  close(file);
  return ENOENT;
}

// Opens a file and resolves all functions, into the table if there is one. `*error` is set if the result is NULL.
static void *open_library(const cdp_library *library, const char *file_name, char *functions, int *error) {
  void *opened = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    *error = open_error();
    return NULL;
  }
  for (const cdp_library_symbol *symbol = library->symbols; symbol->name; symbol++) {
    void *function = dlsym(opened, symbol->name);
    if (!function && !symbol->is_optional) {
      dlclose(opened);
      *error = ENOENT;
      return NULL;
    }
    // POSIX allows a function pointer from dlsym; ISO C has no conversion for it, so the pointer is copied as bytes.
    if (functions) memcpy(functions + symbol->offset, &function, sizeof function);
  }
  return opened;
}

int cdp_library_load(const cdp_library *library, void *functions) {
  for (const char *const *name = library->file_names; *name; name++) {
    int error = 0;
    if (open_library(library, *name, functions, &error)) return 0;
    // Another name would fail for the same reason.
    if (is_limit(error)) return error;
  }
  return ENOENT;
}

_Bool cdp_library_is_usable(const cdp_library *library, const char *file_name) {
  int error = 0;
  void *opened = open_library(library, file_name, NULL, &error);
  if (opened) dlclose(opened);
  return opened != NULL;
}
