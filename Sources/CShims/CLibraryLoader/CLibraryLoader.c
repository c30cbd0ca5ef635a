#include "CLibraryLoader.h"

#include <dlfcn.h>
#include <string.h>

// Opens a file and resolves all functions, into the table if there is one.
static void *open_library(const cdp_library *library, const char *file_name, char *functions) {
  void *opened = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (!opened) return NULL;
  for (const cdp_library_symbol *symbol = library->symbols; symbol->name; symbol++) {
    void *function = dlsym(opened, symbol->name);
    if (!function && !symbol->is_optional) {
      dlclose(opened);
      return NULL;
    }
    // POSIX allows a function pointer from dlsym; ISO C has no conversion for it, so the pointer is copied as bytes.
    if (functions) memcpy(functions + symbol->offset, &function, sizeof function);
  }
  return opened;
}

_Bool cdp_library_load(const cdp_library *library, void *functions) {
  for (const char *const *name = library->file_names; *name; name++) {
    if (open_library(library, *name, functions)) return 1;
  }
  return 0;
}

_Bool cdp_library_is_usable(const cdp_library *library, const char *file_name) {
  void *opened = open_library(library, file_name, NULL);
  if (opened) dlclose(opened);
  return opened != NULL;
}
