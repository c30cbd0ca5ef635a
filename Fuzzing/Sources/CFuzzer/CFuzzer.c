// Only the header is needed: libFuzzer itself is linked from the toolchain.
#include "CFuzzer.h"
