// Lets SQLite read or write an open descriptor: by position, without locks. A database that is opened for reading is
// never written. SQLite can't open a file without a name through /proc.
//
// Not for: temporary files of sorting, which SQLite creates itself.

#ifndef CDPIPE_SQLITE_DESCRIPTOR_H
#define CDPIPE_SQLITE_DESCRIPTOR_H

#include <sqlite3.h>

/// The name of this virtual file system in the library.
#define CDP_DESCRIPTOR_VFS "cdpipe-descriptor"

/// Fills `vfs` with functions that open databases whose name is the number of a descriptor, and pass everything else to
/// `standard`. Both structures must stay valid.
void cdp_descriptor_vfs(sqlite3_vfs *vfs, sqlite3_vfs *standard);
/// Returns the errno of this thread's last failure to write or cut a descriptor's file since the last call; 0 for none.
int cdp_descriptor_take_error(void);

#endif
