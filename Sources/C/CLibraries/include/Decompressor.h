// zstd, xz and bzip2, each of whose libraries is opened when the first input of its format arrives. Their functions are
// declared here and not by their headers, which are therefore not needed to build.
//
// Not for: limits on the output, and the meaning of errors, which are up to the unzip stage; gzip and zlib (CLibZ).

#ifndef CDPIPE_DECOMPRESSOR_H
#define CDPIPE_DECOMPRESSOR_H

#include <stddef.h>
#include <stdint.h>

/// A format, which has a library of its own.
typedef enum cdp_decompressor_format {
  /// RFC 8878: a frame, or a skippable frame.
  CDP_ZSTD,
  /// The .xz file format, 1.2: a stream.
  CDP_XZ,
  CDP_BZIP2,
} cdp_decompressor_format;

typedef enum cdp_decompressor_result {
  /// It has read all input or filled the output.
  CDP_DECOMPRESSOR_CONTINUES,
  /// The stream has ended. Its checksums are right, if it has them.
  CDP_DECOMPRESSOR_END,
  CDP_DECOMPRESSOR_DAMAGED,
  CDP_DECOMPRESSOR_MEMORY,
  /// The stream does not start like one of this format.
  CDP_DECOMPRESSOR_OTHER_FORMAT,
  /// The stream needs a larger window than allowed.
  CDP_DECOMPRESSOR_WINDOW,
} cdp_decompressor_result;

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_decompressor_load(cdp_decompressor_format format);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_decompressor_library_is_usable(cdp_decompressor_format format, const char *file_name);
/// The library's file name, for messages.
const char *cdp_decompressor_library_name(cdp_decompressor_format format);

/// A decompressor for one stream after another.
typedef struct cdp_decompressor cdp_decompressor;

/// Creates a decompressor; NULL when memory runs out. The library must be loaded. Streams that refer back further than
/// `window_bytes_max`, and so need that much memory, are not decompressed; bzip2's blocks are always smaller than 1 MB.
cdp_decompressor *cdp_decompressor_new(cdp_decompressor_format format, uint64_t window_bytes_max);
void cdp_decompressor_free(cdp_decompressor *decompressor);
/// Prepares for the next stream. Returns false when memory runs out.
_Bool cdp_decompressor_restart(cdp_decompressor *decompressor);
/// Decompresses, and sets how many bytes it has read and written: 0 on an error.
cdp_decompressor_result cdp_decompressor_run(cdp_decompressor *decompressor, const void *input, uint32_t input_count,
                                             uint32_t *consumed, void *output, uint32_t output_count,
                                             uint32_t *produced);
/// What is wrong, if the library has words for it; never NULL.
const char *cdp_decompressor_error_message(const cdp_decompressor *decompressor);

#endif
