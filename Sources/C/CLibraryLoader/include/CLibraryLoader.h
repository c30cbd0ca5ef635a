// Opens a shared library at run time and resolves the functions that a shim calls.
//
// Not for: libraries that are linked, such as zlib and libyaml.

#ifndef CDPIPE_LIBRARY_LOADER_H
#define CDPIPE_LIBRARY_LOADER_H

#include <stddef.h>

/// A function of a library, and the position of its pointer in the shim's table.
typedef struct cdp_library_symbol {
  const char *name;
  /// The offset of its pointer in the table, in bytes.
  size_t offset;
  /// Whether older versions of the library lack it. Its pointer is null then.
  _Bool is_optional;
} cdp_library_symbol;

/// A library that is opened at run time.
typedef struct cdp_library {
  /// File names in order of preference, ended by NULL.
  const char *const *file_names;
  /// The functions to resolve, ended by an entry whose name is NULL.
  const cdp_library_symbol *symbols;
} cdp_library;

/// Opens the library under the first file name that has all required functions, and fills the shim's table. Returns 0,
/// or an error number: EMFILE, ENFILE or ENOMEM if the machine lacks descriptors or memory, and ENOENT if no file has the
/// functions. The library stays open.
int cdp_library_load(const cdp_library *library, void *functions);

/// Returns whether a file of this name can be opened and has all required functions. It is closed again.
_Bool cdp_library_is_usable(const cdp_library *library, const char *file_name);

#endif
