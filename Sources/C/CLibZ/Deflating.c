// Compresses with zlib: raw streams.

#include "CLibZ.h"

#include <stdlib.h>
#include <zlib.h>

struct cdp_deflater {
  z_stream stream;
};

// zlib's default.
enum { memory_level = 8 };

cdp_deflater *cdp_deflater_new(void) {
  cdp_deflater *deflater = calloc(1, sizeof *deflater);
  if (!deflater) return NULL;
  // A negative size of the window means a raw stream.
  int code = deflateInit2(&deflater->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, memory_level,
                          Z_DEFAULT_STRATEGY);
  if (code == Z_OK) return deflater;
  free(deflater);
  return NULL;
}

void cdp_deflater_free(cdp_deflater *deflater) {
  if (!deflater) return;
  deflateEnd(&deflater->stream);
  free(deflater);
}

_Bool cdp_deflater_run(cdp_deflater *deflater, const void *input, uint32_t input_count, uint32_t *consumed,
                       void *output, uint32_t output_count, uint32_t *produced, _Bool is_last) {
  z_stream *stream = &deflater->stream;
  stream->next_in = (Bytef *)(uintptr_t)input;
  stream->avail_in = input_count;
  stream->next_out = output;
  stream->avail_out = output_count;
  int code = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
  *consumed = input_count - stream->avail_in;
  *produced = output_count - stream->avail_out;
  stream->next_in = NULL;
  stream->next_out = NULL;
  return code == Z_STREAM_END;
}
