// zlib, which is linked. Apple's systems have it, too.
//
// Not for: limits, and the meaning of errors, which are up to the callers.

#ifndef CDPIPE_LIBZ_H
#define CDPIPE_LIBZ_H

#include <stddef.h>
#include <stdint.h>

/// A decompressor for one or more streams.
typedef struct cdp_inflater cdp_inflater;

/// The format around the compressed bytes.
typedef enum cdp_inflater_form {
  /// gzip's header and trailer (RFC 1952).
  CDP_INFLATER_GZIP,
  /// zlib's (RFC 1950).
  CDP_INFLATER_ZLIB,
  /// Nothing (RFC 1951), as in a zip.
  CDP_INFLATER_RAW,
} cdp_inflater_form;

typedef enum cdp_inflater_result {
  /// It has read all input or filled the output.
  CDP_INFLATER_CONTINUES,
  /// The stream has ended. Its checksum and length are right, if it has them.
  CDP_INFLATER_END,
  CDP_INFLATER_DAMAGED,
  CDP_INFLATER_MEMORY,
} cdp_inflater_result;

/// Creates a decompressor; NULL when memory runs out.
cdp_inflater *cdp_inflater_new(cdp_inflater_form form);
void cdp_inflater_free(cdp_inflater *inflater);
/// Prepares for the next stream.
void cdp_inflater_restart(cdp_inflater *inflater);
/// Decompresses, and sets how many bytes it has read and written.
cdp_inflater_result cdp_inflater_run(cdp_inflater *inflater, const void *input, uint32_t input_count,
                                     uint32_t *consumed, void *output, uint32_t output_count, uint32_t *produced);
/// The zlib message for the error; never NULL.
const char *cdp_inflater_error_message(const cdp_inflater *inflater);

/// A compressor of one raw stream (RFC 1951).
typedef struct cdp_deflater cdp_deflater;

/// Creates a compressor; NULL when memory runs out.
cdp_deflater *cdp_deflater_new(void);
void cdp_deflater_free(cdp_deflater *deflater);
/// Compresses, and sets how many bytes it has read and written. With `is_last`, no input follows. Returns whether the
/// stream is complete.
_Bool cdp_deflater_run(cdp_deflater *deflater, const void *input, uint32_t input_count, uint32_t *consumed,
                       void *output, uint32_t output_count, uint32_t *produced, _Bool is_last);

/// Continues the CRC-32 `crc` with these bytes; start with 0.
uint32_t cdp_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
