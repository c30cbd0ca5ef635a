// Files of this repository that are part of the program, so that no copy of them is a source. The list is in
// CEmbeddedFiles.c. Only EmbeddedFiles reads them.

#ifndef CEMBEDDEDFILES_H
#define CEMBEDDEDFILES_H

#include <stddef.h>

/// The files' bytes. Each file ends with a zero byte, and has no other. The first is CEmbeddedFiles.c: its lines with
/// #embed name all files, in their order.
///
/// That is how the names come along: a macro can't contain #embed, so a table would have each path twice.
const unsigned char *cdp_embedded_bytes(void);

/// The number of these bytes, with the zeros.
size_t cdp_embedded_byte_count(void);

/// The icon of scaffolded apps: a PNG of 1024 by 1024 pixels without transparency, as the App Store requires.
const unsigned char *cdp_embedded_icon(void);

size_t cdp_embedded_icon_byte_count(void);

#endif
