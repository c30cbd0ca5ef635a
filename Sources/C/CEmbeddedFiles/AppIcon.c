#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// Not in the list of CEmbeddedFiles.c: those are texts, and end with a zero byte.
static const unsigned char bytes[] = {
#embed "../../../Sources/Phone/ScaffoldTemplates/AppIcon.png"
};

const unsigned char *cdp_embedded_icon(void) { return bytes; }

size_t cdp_embedded_icon_byte_count(void) { return sizeof bytes; }
