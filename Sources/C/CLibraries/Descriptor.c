// See the header. Source: SQLite's documentation of sqlite3_vfs and sqlite3_io_methods.

#include "Descriptor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct descriptor_file {
  sqlite3_file base;
  int descriptor;
};

static int read_at(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  int descriptor = ((struct descriptor_file *)file)->descriptor;
  int done = 0;
  while (done < count) {
    ssize_t more = pread(descriptor, (char *)buffer + done, (size_t)(count - done), (off_t)(offset + done));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return SQLITE_IOERR_READ;
    if (more == 0) {
      // Missing bytes must be zeros.
      memset((char *)buffer + done, 0, (size_t)(count - done));
      return SQLITE_IOERR_SHORT_READ;
    }
    done += (int)more;
  }
  return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  struct stat status;
  if (fstat(((struct descriptor_file *)file)->descriptor, &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = (sqlite3_int64)status.st_size;
  return SQLITE_OK;
}

// The caller owns the descriptor.
static int close_file(sqlite3_file *file) { return (void)file, SQLITE_OK; }

// The errno of this thread's last failure to write or cut a file.
static _Thread_local int write_error;

int cdp_descriptor_take_error(void) {
  int error = write_error;
  write_error = 0;
  return error;
}

static int failed_write(int code) {
  write_error = errno;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? SQLITE_FULL : code;
}

static int write_at(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int descriptor = ((struct descriptor_file *)file)->descriptor;
  int done = 0;
  while (done < count) {
    ssize_t more = pwrite(descriptor, (const char *)bytes + done, (size_t)(count - done), (off_t)(offset + done));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return failed_write(SQLITE_IOERR_WRITE);
    done += (int)more;
  }
  return SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  int result;
  do result = ftruncate(((struct descriptor_file *)file)->descriptor, (off_t)size);
  while (result != 0 && errno == EINTR);
  return result == 0 ? SQLITE_OK : failed_write(SQLITE_IOERR_TRUNCATE);
}

static int refuse_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  (void)file, (void)bytes, (void)count, (void)offset;
  return SQLITE_READONLY;
}

static int refuse_truncate(sqlite3_file *file, sqlite3_int64 size) { return (void)file, (void)size, SQLITE_READONLY; }

// No other process uses the file, so locks and syncs do nothing.
static int do_nothing(sqlite3_file *file, int how) { return (void)file, (void)how, SQLITE_OK; }

static int has_reserved_lock(sqlite3_file *file, int *result) {
  (void)file;
  *result = 0;
  return SQLITE_OK;
}

static int control(sqlite3_file *file, int operation, void *argument) {
  return (void)file, (void)operation, (void)argument, SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file) { return (void)file, 4096; }

// Only this process can see a file that is being written, and it is synced when it is complete.
static int new_file_characteristics(sqlite3_file *file) { return (void)file, SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

// Immutable: SQLite does not look for a journal or write-ahead log.
static int characteristics(sqlite3_file *file) { return (void)file, SQLITE_IOCAP_IMMUTABLE; }

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_at,
    .xWrite = refuse_write,
    .xTruncate = refuse_truncate,
    .xSync = do_nothing,
    .xFileSize = file_size,
    .xLock = do_nothing,
    .xUnlock = do_nothing,
    .xCheckReservedLock = has_reserved_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

static const sqlite3_io_methods writing_methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_at,
    .xWrite = write_at,
    .xTruncate = truncate_file,
    .xSync = do_nothing,
    .xFileSize = file_size,
    .xLock = do_nothing,
    .xUnlock = do_nothing,
    .xCheckReservedLock = has_reserved_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = new_file_characteristics,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened_as) {
  sqlite3_vfs *standard = vfs->pAppData;
  if (flags & (SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL))
    return standard->xOpen(standard, name, file, flags, opened_as);
  file->pMethods = NULL;
  if (!(flags & SQLITE_OPEN_MAIN_DB) || !name) return SQLITE_CANTOPEN;
  ((struct descriptor_file *)file)->descriptor = atoi(name);
  int access = flags & (SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE);
  file->pMethods = access == SQLITE_OPEN_READWRITE ? &writing_methods : &methods;
  if (opened_as) *opened_as = access | (flags & SQLITE_OPEN_MAIN_DB);
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync) {
  sqlite3_vfs *standard = vfs->pAppData;
  return standard->xDelete(standard, name, sync);
}

// A file without a name has no journal next to it.
static int access_file(sqlite3_vfs *vfs, const char *name, int how, int *result) {
  (void)vfs, (void)name, (void)how;
  *result = 0;
  return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int capacity, char *full) {
  (void)vfs;
  size_t length = strlen(name);
  if (length + 1 > (size_t)capacity) return SQLITE_CANTOPEN;
  memcpy(full, name, length + 1);
  return SQLITE_OK;
}

static void *open_library(sqlite3_vfs *vfs, const char *name) { return (void)vfs, (void)name, NULL; }

void cdp_descriptor_vfs(sqlite3_vfs *vfs, sqlite3_vfs *standard) {
  // The functions that concern no file (time, random numbers, sleep) are the standard ones.
  *vfs = *standard;
  vfs->pNext = NULL;
  vfs->zName = CDP_DESCRIPTOR_VFS;
  vfs->pAppData = standard;
  if (vfs->szOsFile < (int)sizeof(struct descriptor_file)) vfs->szOsFile = (int)sizeof(struct descriptor_file);
  vfs->xOpen = open_file;
  vfs->xDelete = delete_file;
  vfs->xAccess = access_file;
  vfs->xFullPathname = full_name;
  vfs->xDlOpen = open_library;
}
