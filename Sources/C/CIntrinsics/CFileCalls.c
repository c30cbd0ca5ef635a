// Sources: the manual pages rename(2) and syncfs(2) of Linux, renameatx_np(2) and sync(2) of macOS.

#define _GNU_SOURCE
#include "CFileCalls.h"

#include <stdio.h>
#include <unistd.h>

int cdp_exchange(int one_directory, const char *one, int other_directory, const char *other) {
#ifdef __APPLE__
  return renameatx_np(one_directory, one, other_directory, other, RENAME_SWAP);
#else
  return renameat2(one_directory, one, other_directory, other, RENAME_EXCHANGE);
#endif
}

int cdp_sync_file_system(int file) {
#ifdef __APPLE__
  (void)file;
  sync();
  return 0;
#else
  return syncfs(file);
#endif
}
