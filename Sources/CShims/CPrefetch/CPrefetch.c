// All of it is in the header; a C target must have a source.
#include "CPrefetch.h"
