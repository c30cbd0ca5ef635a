// The table of the libzip functions that this target calls.
//
// Not for: other targets, which see none of libzip's types.

#ifndef CDPIPE_LIBZIP_TABLE_H
#define CDPIPE_LIBZIP_TABLE_H

#include "CLibZip.h"

// Apple's SDK has no libzip. Without its header, the library is treated as missing.
#if __has_include(<zip.h>)
#define CDPIPE_HAS_LIBZIP 1
#include <zip.h>

struct cdp_zip_functions {
  zip_source_t *(*source_function_create)(zip_source_callback, void *, zip_error_t *);
  void (*source_free)(zip_source_t *);
  zip_int64_t (*source_seek_compute_offset)(zip_uint64_t, zip_uint64_t, void *, zip_uint64_t, zip_error_t *);
  zip_t *(*open_from_source)(zip_source_t *, int, zip_error_t *);
  void (*discard)(zip_t *);
  zip_error_t *(*get_error)(zip_t *);
  zip_file_t *(*fopen_index_encrypted)(zip_t *, zip_uint64_t, zip_flags_t, const char *);
  zip_int64_t (*fread)(zip_file_t *, void *, zip_uint64_t);
  zip_error_t *(*file_get_error)(zip_file_t *);
  int (*fclose)(zip_file_t *);
  void (*error_init)(zip_error_t *);
  void (*error_fini)(zip_error_t *);
  void (*error_set)(zip_error_t *, int, int);
  zip_int64_t (*error_to_data)(const zip_error_t *, void *, zip_uint64_t);
  const char *(*error_strerror)(zip_error_t *);
  // Since 1.7.0. Without them, an unsupported member fails when it is opened.
  int (*compression_method_supported)(zip_int32_t, int);
  int (*encryption_method_supported)(zip_uint16_t, int);
};

/// The functions. Call them only after cdp_zip_load has returned true.
extern struct cdp_zip_functions cdp_libzip;
#endif

#endif
