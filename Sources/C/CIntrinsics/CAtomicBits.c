// Everything is in the header, but a C target must have a source file.
#include "CAtomicBits.h"
