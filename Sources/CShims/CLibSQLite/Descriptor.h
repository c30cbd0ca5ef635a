// The file behind a descriptor, as SQLite reads files: by position, never locked, never written. A file without a
// name has none under /proc that SQLite would open.
//
// Not for: the files that a sort needs. Those are the library's own.

#ifndef CDPIPE_SQLITE_DESCRIPTOR_H
#define CDPIPE_SQLITE_DESCRIPTOR_H

#include <sqlite3.h>

/// The name under which the library knows this way of reading.
#define CDP_DESCRIPTOR_VFS "cdpipe-descriptor"

/// Makes a table of functions that reads databases whose name is the number of a descriptor, and everything else as
/// `standard` does. Both must stay.
void cdp_descriptor_vfs(sqlite3_vfs *vfs, sqlite3_vfs *standard);

#endif
