// See the header. All calls go through a table of functions per library that is filled when the library is opened.
//
// Sources of the functions, types and numbers: zstd.h and zstd_errors.h of libzstd 1.5, lzma/base.h and
// lzma/container.h of liblzma 5.4, bzlib.h of libbz2 1.0.8. All of it is part of the libraries' stable interfaces.

#include "Decompressor.h"

#include <CLibraryLoader.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: - The libraries

#define FORMATS 3

typedef struct ZSTD_DCtx zstd_context;

// The layout of ZSTD_inBuffer and ZSTD_outBuffer; also used for the other libraries.
typedef struct buffer {
  // Not written through if it is the input.
  void *start;
  size_t count;
  size_t position;
} buffer;

enum { ZSTD_WINDOW_LOG_MAX = 100, ZSTD_RESET_SESSION = 1 };
// The largest header of a frame, with its size of content (RFC 8878, 3.1.1).
#define ZSTD_HEADER_BYTES_MAX 18
// Fewer bytes than any frame has.
#define ZSTD_START_BYTES 5
// From this number on, it is not a size: it is unknown, or the header is damaged.
static const uint64_t zstd_no_size = (uint64_t)-2;
enum { ZSTD_PREFIX_UNKNOWN = 10, ZSTD_WINDOW_TOO_LARGE = 16, ZSTD_MEMORY = 64 };

static struct zstd_api {
  zstd_context *(*create)(void);
  size_t (*release)(zstd_context *);
  size_t (*set)(zstd_context *, int, int);
  size_t (*reset)(zstd_context *, int);
  size_t (*decompress)(zstd_context *, buffer *, buffer *);
  unsigned long long (*content_size)(const void *, size_t);
  unsigned (*is_error)(size_t);
  int (*error_code)(size_t);
  const char *(*error_name)(size_t);
} zstd;

// lzma_stream.
typedef struct xz_stream {
  const uint8_t *input;
  size_t input_count;
  uint64_t input_total;
  uint8_t *output;
  size_t output_count;
  uint64_t output_total;
  const void *allocator;
  void *state;
  void *reserved_pointers[4];
  uint64_t reserved_large[2];
  size_t reserved_sizes[2];
  int reserved_enums[2];
} xz_stream;

enum {
  XZ_OK = 0,
  XZ_END = 1,
  XZ_UNSUPPORTED_CHECK = 3,
  XZ_MEMORY = 5,
  XZ_MEMORY_LIMIT = 6,
  XZ_FORMAT = 7,
  XZ_OPTIONS = 8,
  XZ_NO_PROGRESS = 10,
};
// The decoder reports a kind of checksum that it can't verify.
enum { XZ_TELL_UNSUPPORTED_CHECK = 2, XZ_RUN = 0 };
// The decoder's memory beside the window, which its limit includes; it needs less than 100 KB.
static const uint64_t xz_tables_bytes_max = 1 << 20;

static struct xz_api {
  int (*start)(xz_stream *, uint64_t, uint32_t);
  int (*run)(xz_stream *, int);
  void (*end)(xz_stream *);
} xz;

// bz_stream.
typedef struct bzip2_stream {
  char *input;
  unsigned input_count, input_total_low, input_total_high;
  char *output;
  unsigned output_count, output_total_low, output_total_high;
  void *state;
  void *(*allocate)(void *, int, int);
  void (*release)(void *, void *);
  void *context;
} bzip2_stream;

enum { BZIP2_OK = 0, BZIP2_END = 4, BZIP2_MEMORY = -3, BZIP2_MAGIC = -5 };

static struct bzip2_api {
  int (*start)(bzip2_stream *, int, int);
  int (*run)(bzip2_stream *);
  int (*end)(bzip2_stream *);
} bzip2;

#define SYMBOL(format, name, member) {name, offsetof(struct format##_api, member), 0}

static const cdp_library_symbol zstd_symbols[] = {
    SYMBOL(zstd, "ZSTD_createDCtx", create),
    SYMBOL(zstd, "ZSTD_freeDCtx", release),
    SYMBOL(zstd, "ZSTD_DCtx_setParameter", set),
    SYMBOL(zstd, "ZSTD_DCtx_reset", reset),
    SYMBOL(zstd, "ZSTD_decompressStream", decompress),
    SYMBOL(zstd, "ZSTD_getFrameContentSize", content_size),
    SYMBOL(zstd, "ZSTD_isError", is_error),
    SYMBOL(zstd, "ZSTD_getErrorCode", error_code),
    SYMBOL(zstd, "ZSTD_getErrorName", error_name),
    {NULL, 0, 0},
};
static const cdp_library_symbol xz_symbols[] = {
    SYMBOL(xz, "lzma_stream_decoder", start),
    SYMBOL(xz, "lzma_code", run),
    SYMBOL(xz, "lzma_end", end),
    {NULL, 0, 0},
};
static const cdp_library_symbol bzip2_symbols[] = {
    SYMBOL(bzip2, "BZ2_bzDecompressInit", start),
    SYMBOL(bzip2, "BZ2_bzDecompress", run),
    SYMBOL(bzip2, "BZ2_bzDecompressEnd", end),
    {NULL, 0, 0},
};

static const char *const zstd_names[] = {
#ifdef __APPLE__
    "libzstd.1.dylib", "/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib",
    "/opt/local/lib/libzstd.1.dylib",
#else
    "libzstd.so.1",
#endif
    NULL,
};
static const char *const xz_names[] = {
#ifdef __APPLE__
    "liblzma.5.dylib", "/opt/homebrew/lib/liblzma.5.dylib", "/usr/local/lib/liblzma.5.dylib",
    "/opt/local/lib/liblzma.5.dylib",
#else
    "liblzma.so.5",
#endif
    NULL,
};
static const char *const bzip2_names[] = {
#ifdef __APPLE__
    "libbz2.1.0.dylib", "/usr/lib/libbz2.1.0.dylib",
#else
    // Debian's name, and that of Fedora.
    "libbz2.so.1.0", "libbz2.so.1",
#endif
    NULL,
};

static const cdp_library libraries[FORMATS] = {
    [CDP_ZSTD] = {zstd_names, zstd_symbols},
    [CDP_XZ] = {xz_names, xz_symbols},
    [CDP_BZIP2] = {bzip2_names, bzip2_symbols},
};
static void *const functions[FORMATS] = {[CDP_ZSTD] = &zstd, [CDP_XZ] = &xz, [CDP_BZIP2] = &bzip2};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Bool was_tried[FORMATS];
static int load_errors[FORMATS];

int cdp_decompressor_load(cdp_decompressor_format format) {
  pthread_mutex_lock(&lock);
  if (!was_tried[format]) load_errors[format] = cdp_library_load(&libraries[format], functions[format]);
  was_tried[format] = 1;
  int error = load_errors[format];
  pthread_mutex_unlock(&lock);
  return error;
}

_Bool cdp_decompressor_library_is_usable(cdp_decompressor_format format, const char *file_name) {
  return cdp_library_is_usable(&libraries[format], file_name);
}

const char *cdp_decompressor_library_name(cdp_decompressor_format format) { return libraries[format].file_names[0]; }

// MARK: - Decompressing

struct cdp_decompressor {
  cdp_decompressor_format format;
  uint64_t window_bytes_max;
  const char *message;
  // Of the current frame (zstd): the first bytes, and the number of bytes written.
  uint8_t header[ZSTD_HEADER_BYTES_MAX];
  size_t header_count;
  uint64_t written;
  union {
    zstd_context *zstd;
    xz_stream xz;
    bzip2_stream bzip2;
  };
};

static int log2_of(uint64_t bytes) {
  int log = 0;
  while (bytes >>= 1) log++;
  return log;
}

static void end(cdp_decompressor *decompressor) {
  switch (decompressor->format) {
  case CDP_ZSTD: zstd.release(decompressor->zstd); break;
  case CDP_XZ: xz.end(&decompressor->xz); break;
  case CDP_BZIP2: bzip2.end(&decompressor->bzip2); break;
  }
}

static _Bool start(cdp_decompressor *decompressor) {
  switch (decompressor->format) {
  case CDP_ZSTD:
    decompressor->zstd = zstd.create();
    return decompressor->zstd
           && !zstd.is_error(zstd.set(decompressor->zstd, ZSTD_WINDOW_LOG_MAX, log2_of(decompressor->window_bytes_max)));
  case CDP_XZ:
    // Also starts again, and keeps its memory for that.
    return xz.start(&decompressor->xz, decompressor->window_bytes_max + xz_tables_bytes_max,
                    XZ_TELL_UNSUPPORTED_CHECK)
           == XZ_OK;
  case CDP_BZIP2:
    decompressor->bzip2 = (bzip2_stream){0};
    return bzip2.start(&decompressor->bzip2, 0, 0) == BZIP2_OK;
  }
  return 0;
}

cdp_decompressor *cdp_decompressor_new(cdp_decompressor_format format, uint64_t window_bytes_max) {
  cdp_decompressor *decompressor = calloc(1, sizeof *decompressor);
  if (!decompressor) return NULL;
  decompressor->format = format;
  decompressor->window_bytes_max = window_bytes_max;
  decompressor->message = "";
  if (start(decompressor)) return decompressor;
  cdp_decompressor_free(decompressor);
  return NULL;
}

void cdp_decompressor_free(cdp_decompressor *decompressor) {
  if (!decompressor) return;
  // Each accepts what was not started.
  end(decompressor);
  free(decompressor);
}

_Bool cdp_decompressor_restart(cdp_decompressor *decompressor) {
  switch (decompressor->format) {
  case CDP_ZSTD:
    decompressor->header_count = 0;
    decompressor->written = 0;
    return !zstd.is_error(zstd.reset(decompressor->zstd, ZSTD_RESET_SESSION));
  case CDP_XZ: break;
  case CDP_BZIP2: end(decompressor); break;
  }
  return start(decompressor);
}

// Whether a frame that has ended has the size that its header states. libzstd does not check that if the last block is
// empty and the frame came in pieces.
static _Bool has_stated_size(const cdp_decompressor *decompressor) {
  uint64_t size = zstd.content_size(decompressor->header, decompressor->header_count);
  return size >= zstd_no_size || size == decompressor->written;
}

static cdp_decompressor_result run_zstd(cdp_decompressor *decompressor, buffer *input, buffer *output) {
  // The start of a frame comes alone: libzstd does not check the window of a frame that it has as a whole.
  size_t input_count = input->count;
  if (decompressor->header_count < ZSTD_START_BYTES) {
    size_t missing = ZSTD_START_BYTES - decompressor->header_count;
    if (input->count > missing) input->count = missing;
  }
  size_t code = zstd.decompress(decompressor->zstd, output, input);
  input->count = input_count;
  if (!zstd.is_error(code)) {
    size_t missing = sizeof decompressor->header - decompressor->header_count;
    size_t count = input->position < missing ? input->position : missing;
    if (count > 0) memcpy(decompressor->header + decompressor->header_count, input->start, count);
    decompressor->header_count += count;
    decompressor->written += output->position;
    if (code > 0) return CDP_DECOMPRESSOR_CONTINUES;
    if (has_stated_size(decompressor)) return CDP_DECOMPRESSOR_END;
    decompressor->message = "the size is not the stated one";
    return CDP_DECOMPRESSOR_DAMAGED;
  }
  decompressor->message = zstd.error_name(code);
  switch (zstd.error_code(code)) {
  case ZSTD_PREFIX_UNKNOWN: return CDP_DECOMPRESSOR_OTHER_FORMAT;
  case ZSTD_WINDOW_TOO_LARGE: return CDP_DECOMPRESSOR_WINDOW;
  case ZSTD_MEMORY: return CDP_DECOMPRESSOR_MEMORY;
  default: return CDP_DECOMPRESSOR_DAMAGED;
  }
}

static cdp_decompressor_result run_xz(cdp_decompressor *decompressor, buffer *input, buffer *output) {
  xz_stream *stream = &decompressor->xz;
  stream->input = input->start;
  stream->input_count = input->count;
  stream->output = output->start;
  stream->output_count = output->count;
  int code = xz.run(stream, XZ_RUN);
  input->position = input->count - stream->input_count;
  output->position = output->count - stream->output_count;
  switch (code) {
  case XZ_OK:
  // No output space or no input left; not an error.
  case XZ_NO_PROGRESS: return CDP_DECOMPRESSOR_CONTINUES;
  case XZ_END: return CDP_DECOMPRESSOR_END;
  case XZ_MEMORY: return CDP_DECOMPRESSOR_MEMORY;
  case XZ_MEMORY_LIMIT: return CDP_DECOMPRESSOR_WINDOW;
  case XZ_FORMAT: return CDP_DECOMPRESSOR_OTHER_FORMAT;
  case XZ_UNSUPPORTED_CHECK: decompressor->message = "unsupported checksum"; return CDP_DECOMPRESSOR_DAMAGED;
  case XZ_OPTIONS: decompressor->message = "unsupported options"; return CDP_DECOMPRESSOR_DAMAGED;
  default: return CDP_DECOMPRESSOR_DAMAGED;
  }
}

static cdp_decompressor_result run_bzip2(cdp_decompressor *decompressor, buffer *input, buffer *output) {
  bzip2_stream *stream = &decompressor->bzip2;
  stream->input = input->start;
  stream->input_count = (unsigned)input->count;
  stream->output = output->start;
  stream->output_count = (unsigned)output->count;
  int code = bzip2.run(stream);
  input->position = input->count - stream->input_count;
  output->position = output->count - stream->output_count;
  switch (code) {
  case BZIP2_OK: return CDP_DECOMPRESSOR_CONTINUES;
  case BZIP2_END: return CDP_DECOMPRESSOR_END;
  case BZIP2_MEMORY: return CDP_DECOMPRESSOR_MEMORY;
  case BZIP2_MAGIC: return CDP_DECOMPRESSOR_OTHER_FORMAT;
  default: return CDP_DECOMPRESSOR_DAMAGED;
  }
}

cdp_decompressor_result cdp_decompressor_run(cdp_decompressor *decompressor, const void *input, uint32_t input_count,
                                             uint32_t *consumed, void *output, uint32_t output_count,
                                             uint32_t *produced) {
  buffer from = {(void *)(uintptr_t)input, input_count, 0};
  buffer to = {output, output_count, 0};
  cdp_decompressor_result result = CDP_DECOMPRESSOR_DAMAGED;
  switch (decompressor->format) {
  case CDP_ZSTD: result = run_zstd(decompressor, &from, &to); break;
  case CDP_XZ: result = run_xz(decompressor, &from, &to); break;
  case CDP_BZIP2: result = run_bzip2(decompressor, &from, &to); break;
  }
  *consumed = (uint32_t)from.position;
  *produced = (uint32_t)to.position;
  return result;
}

const char *cdp_decompressor_error_message(const cdp_decompressor *decompressor) { return decompressor->message; }
