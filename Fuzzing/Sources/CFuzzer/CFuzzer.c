// The header is all: libFuzzer itself is linked from the toolchain.
#include "CFuzzer.h"
