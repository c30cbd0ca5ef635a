// Sources: the manual pages rename(2) and syncfs(2) of Linux, renameatx_np(2), fcntl(2), fsync_volume_np(2) and dyld(3) of
// macOS.

#define _GNU_SOURCE
#include "CFileCalls.h"

#include <stdio.h>
#include <unistd.h>

#ifdef __APPLE__
#include <fcntl.h>
#include <mach-o/dyld.h>
#endif

int cdp_exchange(int one_directory, const char *one, int other_directory, const char *other) {
#ifdef __APPLE__
  return renameatx_np(one_directory, one, other_directory, other, RENAME_SWAP);
#else
  return renameat2(one_directory, one, other_directory, other, RENAME_EXCHANGE);
#endif
}

int cdp_sync(int file) {
#ifdef __APPLE__
  // There, fsync leaves the bytes in the drive's cache. File systems of a network don't know the call.
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(file);
}

int cdp_sync_file_system(int file) {
#ifdef __APPLE__
  // A file system without this call gets the one that does not wait.
  if (fsync_volume_np(file, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT) != 0) sync();
  return 0;
#else
  return syncfs(file);
#endif
}

#ifdef __APPLE__
int cdp_program_path(char *path, unsigned capacity) { return _NSGetExecutablePath(path, &capacity); }
#endif
