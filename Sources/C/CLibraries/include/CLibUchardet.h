// libuchardet, opened when an input's encoding must be recognised. It is optional: without it fewer encodings are
// recognised, so its header is not needed to build.
//
// Not for: UTF-8 and UTF-16, which are recognised without it, or whether the answer is right (the parse stage).

#ifndef CDPIPE_LIBUCHARDET_H
#define CDPIPE_LIBUCHARDET_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_encodings_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_encodings_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_encodings_library_name(void);

/// Writes the name of the encoding that a text probably has, with a zero byte at its end, and returns the length of the
/// name: 0 if the library has no answer, if memory runs out, or if the name does not fit. The library must be loaded.
/// The text must have at least 4 bytes, or the library does not examine it.
size_t cdp_encoding_of(const uint8_t *text, size_t count, char *name, size_t capacity);

#endif
