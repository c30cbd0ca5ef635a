// zlib's inflate with gzip headers and trailers: it checks each member's CRC and length.

#include "CLibZip.h"

#include <stdlib.h>
#include <zlib.h>

// The largest window, and 16 for "gzip, not zlib".
#define GZIP_WINDOW_BITS (15 + 16)

struct cdp_gunzip {
  z_stream stream;
};

cdp_gunzip *cdp_gunzip_new(void) {
  cdp_gunzip *decompressor = calloc(1, sizeof *decompressor);
  if (!decompressor) return NULL;
  if (inflateInit2(&decompressor->stream, GZIP_WINDOW_BITS) == Z_OK) return decompressor;
  free(decompressor);
  return NULL;
}

void cdp_gunzip_free(cdp_gunzip *decompressor) {
  if (!decompressor) return;
  inflateEnd(&decompressor->stream);
  free(decompressor);
}

void cdp_gunzip_restart(cdp_gunzip *decompressor) { inflateReset(&decompressor->stream); }

cdp_gunzip_result cdp_gunzip_run(cdp_gunzip *decompressor, const void *input, uint32_t input_count,
                                 uint32_t *consumed, void *output, uint32_t output_count, uint32_t *produced) {
  z_stream *stream = &decompressor->stream;
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
  // No room or no input: nothing is wrong.
  case Z_BUF_ERROR: return CDP_GUNZIP_GOING;
  case Z_STREAM_END: return CDP_GUNZIP_END;
  case Z_MEM_ERROR: return CDP_GUNZIP_MEMORY;
  default: return CDP_GUNZIP_DAMAGED;
  }
}

const char *cdp_gunzip_text(const cdp_gunzip *decompressor) {
  return decompressor->stream.msg ? decompressor->stream.msg : "";
}
