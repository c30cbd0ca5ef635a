// Decompresses with zlib: raw streams, and those of gzip and zlib, whose checksums and lengths are verified.

#include "CLibZ.h"

#include <stdlib.h>
#include <zlib.h>

struct cdp_inflater {
  z_stream stream;
};

// The largest window. zlib adds 16 for gzip and uses the negative number for raw streams.
static int window_bits(cdp_inflater_form form) {
  switch (form) {
  case CDP_INFLATER_GZIP: return MAX_WBITS + 16;
  case CDP_INFLATER_ZLIB: return MAX_WBITS;
  case CDP_INFLATER_RAW: break;
  }
  return -MAX_WBITS;
}

cdp_inflater *cdp_inflater_new(cdp_inflater_form form) {
  cdp_inflater *inflater = calloc(1, sizeof *inflater);
  if (!inflater) return NULL;
  if (inflateInit2(&inflater->stream, window_bits(form)) == Z_OK) return inflater;
  free(inflater);
  return NULL;
}

void cdp_inflater_free(cdp_inflater *inflater) {
  if (!inflater) return;
  inflateEnd(&inflater->stream);
  free(inflater);
}

void cdp_inflater_restart(cdp_inflater *inflater) { inflateReset(&inflater->stream); }

cdp_inflater_result cdp_inflater_run(cdp_inflater *inflater, const void *input, uint32_t input_count,
                                     uint32_t *consumed, void *output, uint32_t output_count, uint32_t *produced) {
  z_stream *stream = &inflater->stream;
  stream->next_in = (Bytef *)(uintptr_t)input;
  stream->avail_in = input_count;
  stream->next_out = output;
  stream->avail_out = output_count;
  int code = inflate(stream, Z_NO_FLUSH);
  *consumed = input_count - stream->avail_in;
  *produced = output_count - stream->avail_out;
  stream->next_in = NULL;
  stream->next_out = NULL;
  switch (code) {
  case Z_OK:
  // No output space or no input left; not an error.
  case Z_BUF_ERROR: return CDP_INFLATER_CONTINUES;
  case Z_STREAM_END: return CDP_INFLATER_END;
  case Z_MEM_ERROR: return CDP_INFLATER_MEMORY;
  // A stream that needs a preset dictionary (Z_NEED_DICT) is not supported.
  default: return CDP_INFLATER_DAMAGED;
  }
}

const char *cdp_inflater_error_message(const cdp_inflater *inflater) {
  return inflater->stream.msg ? inflater->stream.msg : "";
}

uint32_t cdp_crc32(uint32_t crc, const void *bytes, size_t count) {
  return (uint32_t)crc32_z(crc, bytes, count);
}
