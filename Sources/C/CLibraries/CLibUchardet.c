// See the header. All calls go through a table of functions that is filled when the library is opened.
//
// Source of the functions: libuchardet 0.0.7, src/uchardet.h (https://gitlab.freedesktop.org/uchardet/uchardet).

#include "CLibUchardet.h"

#include <CLibraryLoader.h>
#include <pthread.h>
#include <string.h>

typedef struct uchardet *uchardet_t;

struct api {
  uchardet_t (*create)(void);
  void (*release)(uchardet_t);
  int (*handle)(uchardet_t, const char *, size_t);
  void (*end)(uchardet_t);
  const char *(*name)(uchardet_t);
};

static const char *const file_names[] = {
#ifdef __APPLE__
    "libuchardet.0.dylib",
    "/opt/homebrew/lib/libuchardet.0.dylib",
    "/usr/local/lib/libuchardet.0.dylib",
    "/opt/local/lib/libuchardet.0.dylib",
#else
    "libuchardet.so.0",
#endif
    NULL,
};

static struct api uchardet;
static int load_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name, member) {name, offsetof(struct api, member), 0}

static const cdp_library_symbol symbols[] = {
    SYMBOL("uchardet_new", create),
    SYMBOL("uchardet_delete", release),
    SYMBOL("uchardet_handle_data", handle),
    SYMBOL("uchardet_data_end", end),
    SYMBOL("uchardet_get_charset", name),
    {NULL, 0, 0},
};

static const cdp_library library = {file_names, symbols};

static void load_once(void) { load_error = cdp_library_load(&library, &uchardet); }

int cdp_encodings_load(void) {
  pthread_once(&once, load_once);
  return load_error;
}

_Bool cdp_encodings_library_is_usable(const char *file_name) { return cdp_library_is_usable(&library, file_name); }

const char *cdp_encodings_library_name(void) { return file_names[0]; }

size_t cdp_encoding_of(const uint8_t *text, size_t count, char *name, size_t capacity) {
  uchardet_t detector = uchardet.create();
  if (!detector) return 0;
  size_t length = 0;
  if (uchardet.handle(detector, (const char *)text, count) == 0) {
    uchardet.end(detector);
    const char *found = uchardet.name(detector);
    if (found) length = strlen(found);
    if (length < capacity) {
      memcpy(name, found ? found : "", length + 1);
    } else {
      length = 0;
    }
  }
  uchardet.release(detector);
  return length;
}
