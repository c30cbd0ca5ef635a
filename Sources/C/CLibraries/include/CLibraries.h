// All headers of this target.

#pragma once

#include "CLibCurl.h"
#include "CLibExpat.h"
#include "CLibSQLite.h"
#include "CLibUchardet.h"
#include "CLibZip.h"
#include "Decompressor.h"
#include "SQLiteWriting.h"
