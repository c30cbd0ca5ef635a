// Calls on files that Swift's modules of the C libraries lack.

#ifndef CFILECALLS_H
#define CFILECALLS_H

/// Exchanges two files or directories in one step. Returns 0, or -1 with errno: EINVAL, ENOSYS or ENOTSUP if the file
/// system or the system can't.
int cdp_exchange(int one_directory, const char *one, int other_directory, const char *other);

/// Makes a file durable: its bytes are on the medium, not only in the drive's cache, as far as the file system can do that.
/// Returns 0, or -1 with errno.
int cdp_sync(int file);

/// Makes everything that was written to the file system of an open file durable. Returns 0, or -1 with errno.
int cdp_sync_file_system(int file);

#ifdef __APPLE__
/// Writes the path of the running program, which may have links, and a null byte. Returns 0, or -1 if it does not fit.
int cdp_program_path(char *path, unsigned capacity);
#endif

#endif
