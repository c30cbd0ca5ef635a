// All headers of this target.

#pragma once

#include "CAtomicBits.h"
#include "CByteMasks.h"
#include "CCRC32C.h"
#include "CFileCalls.h"
#include "CMalloc.h"
#include "CPrefetch.h"
#include "CSHA256.h"
