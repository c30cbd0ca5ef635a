// Makes one call of a process on files or sockets fail, move a single byte, or be preceded by SIGKILL. Linux only.
//
//     cc -shared -fPIC -o fault_shim.so Tests/FaultShim/fault_shim.c -ldl
//     LD_PRELOAD=$PWD/fault_shim.so FAULT_SHIM_CALLS=calls FAULT_SHIM_DO=rename:kill@3 cdpipe run nightly.yaml
//
//     FAULT_SHIM_DO      [FUNCTION:]ACTION@N, what happens at the N-th counted call (the first is 1):
//                          kill         the process is killed before the call
//                          errno=NAME   the call fails with that errno, such as EIO; close closes the file anyway
//                          short        a read or write moves at most one byte; other calls are unchanged
//                        With FUNCTION, only its calls are counted.
//     FAULT_SHIM_PATH    counts only calls whose PATH (see below) contains this text
//     FAULT_SHIM_CALLS   a file to which every call is appended before it is made, counted or not: `N FUNCTION PATH`,
//                        with N from 1. The last line of a process that was killed is the call that was not made.
//
// A function has the same name with and without 64 (`open64` counts as `open`). PATH is what the call names, made
// absolute only if it is relative to a directory's descriptor; for a descriptor, the path it was opened by. The names of
// a call with two paths (rename, link) are separated by a tab, the new one first. Mapping memory counts only for files.
//
// Not for: child processes, which start without the shim; calls that libc makes itself, such as getdents for readdir.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// MARK: What happens, and when

enum effect { NONE, FAIL, SHORT };
enum action { NOTHING, KILL, ERRNO, ONE_BYTE };

// The file of a call: a path, relative to a directory's descriptor unless that is AT_FDCWD, or only a descriptor. A
// call with two paths has a second one.
struct file {
  int directory;
  const char *path;
  int directory2;
  const char *path2;
};
#define PATH(path) ((struct file){AT_FDCWD, path, AT_FDCWD, NULL})
#define AT(directory, path) ((struct file){directory, path, AT_FDCWD, NULL})
#define OPENED(descriptor) ((struct file){descriptor, NULL, AT_FDCWD, NULL})
#define NEW_OLD(new, old) ((struct file){AT_FDCWD, new, AT_FDCWD, old})
#define NEW_OLD_AT(newdir, new, olddir, old) ((struct file){newdir, new, olddir, old})
#define NO_FILE ((struct file){AT_FDCWD, "", AT_FDCWD, NULL})

static enum action action = NOTHING;
static int action_errno;
static unsigned long action_number;
static char action_function[64];
static char wanted_path[PATH_MAX];
static int calls_file = -1;
static atomic_ulong calls;
static atomic_ulong counted;

static void stop(const char *message, const char *text) {
  dprintf(STDERR_FILENO, "fault_shim: %s: %s\n", message, text);
  _exit(2);
}

static int errno_of(const char *name) {
  for (int code = 1; code < 200; code++) {
    const char *known = strerrorname_np(code);
    if (known != NULL && strcmp(known, name) == 0) return code;
  }
  stop("not the name of an errno", name);
  return 0;
}

static void read_action(const char *text) {
  char line[256];
  if (strlen(text) >= sizeof line) stop("FAULT_SHIM_DO is too long", text);
  strcpy(line, text);
  char *at = strrchr(line, '@');
  if (at == NULL) stop("FAULT_SHIM_DO has no @N", text);
  *at = 0;
  char *end;
  action_number = strtoul(at + 1, &end, 10);
  if (action_number == 0 || *end != 0) stop("FAULT_SHIM_DO has no @N", text);
  char *word = line;
  char *colon = strchr(line, ':');
  if (colon != NULL) {
    *colon = 0;
    if (strlen(line) >= sizeof action_function) stop("not a function", line);
    strcpy(action_function, line);
    word = colon + 1;
  }
  if (strcmp(word, "kill") == 0) {
    action = KILL;
  } else if (strcmp(word, "short") == 0) {
    action = ONE_BYTE;
  } else if (strncmp(word, "errno=", 6) == 0) {
    action = ERRNO;
    action_errno = errno_of(word + 6);
  } else {
    stop("FAULT_SHIM_DO is not kill, short or errno=NAME", text);
  }
}

// Calls that constructors of other libraries made before this are not counted, nor those of the dynamic linker.
__attribute__((constructor)) static void start(void) {
  const char *text = getenv("FAULT_SHIM_DO");
  if (text != NULL) read_action(text);
  text = getenv("FAULT_SHIM_PATH");
  if (text != NULL) {
    if (strlen(text) >= sizeof wanted_path) stop("FAULT_SHIM_PATH is too long", text);
    strcpy(wanted_path, text);
  }
  text = getenv("FAULT_SHIM_CALLS");
  if (text != NULL) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) stop(text, strerror(errno));
    // A high number, so that the program's own descriptors have the numbers they have without the shim.
    int high = fcntl(file, F_DUPFD_CLOEXEC, 500);
    if (high >= 0) syscall(SYS_close, file);
    calls_file = high >= 0 ? high : file;
  }
  unsetenv("LD_PRELOAD");
  unsetenv("FAULT_SHIM_DO");
  unsetenv("FAULT_SHIM_PATH");
  unsetenv("FAULT_SHIM_CALLS");
}

// Writes a path, or the path of a descriptor, and returns its length.
static size_t name_file(int directory, const char *path, char *name, size_t size) {
  size_t length = 0;
  if (directory != AT_FDCWD && (path == NULL || path[0] != '/')) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    long found = syscall(SYS_readlinkat, AT_FDCWD, link, name, size - 1);
    length = found > 0 ? (size_t)found : 0;
    if (path != NULL && length + 1 < size) name[length++] = '/';
  }
  size_t rest = path == NULL ? 0 : strnlen(path, size - 1 - length);
  if (rest > 0) memcpy(name + length, path, rest);
  name[length + rest] = 0;
  return length + rest;
}

static void log_call(unsigned long number, const char *function, const char *name) {
  char line[2 * PATH_MAX + 128];
  int length = snprintf(line, sizeof line, "%lu %s %s\n", number, function, name);
  size_t bytes = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
  // On a full disk the line is lost.
  syscall(SYS_write, calls_file, line, bytes);
}

// Logs and counts a call; returns what happens to it, with errno set if it fails.
static enum effect meet(const char *function, struct file file) {
  bool is_wanted = action != NOTHING && (action_function[0] == 0 || strcmp(action_function, function) == 0);
  if (!is_wanted && calls_file < 0) return NONE;
  int before = errno;
  if (wanted_path[0] != 0 || calls_file >= 0) {
    char name[2 * PATH_MAX + 8];
    size_t length = name_file(file.directory, file.path, name, PATH_MAX);
    if (file.path2 != NULL) {
      name[length++] = '\t';
      name_file(file.directory2, file.path2, name + length, PATH_MAX);
    }
    if (calls_file >= 0) log_call(atomic_fetch_add(&calls, 1) + 1, function, name);
    is_wanted = is_wanted && strstr(name, wanted_path) != NULL;
  }
  errno = before;
  if (!is_wanted || atomic_fetch_add(&counted, 1) + 1 != action_number) return NONE;
  switch (action) {
  case KILL:
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
  case ERRNO: errno = action_errno; return FAIL;
  case ONE_BYTE: return SHORT;
  case NOTHING: break;
  }
  return NONE;
}

// MARK: The functions

// Defines a function that calls libc's function of the same name, or fails with `failed`.
#define CALL(result, symbol, function, parameters, arguments, file, failed) \
  result symbol parameters { \
    static result(*next) parameters; \
    if (next == NULL) next = (result(*) parameters)dlsym(RTLD_NEXT, #symbol); \
    if (meet(function, file) == FAIL) return failed; \
    return next arguments; \
  }

// The same for a function that moves `size` bytes.
#define MOVE(symbol, function, parameters, arguments, file) \
  ssize_t symbol parameters { \
    static ssize_t(*next) parameters; \
    if (next == NULL) next = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #symbol); \
    enum effect effect = meet(function, file); \
    if (effect == FAIL) return -1; \
    if (effect == SHORT && size > 1) size = 1; \
    return next arguments; \
  }

// The same for a function with a mode that is passed only when a file is created.
#define OPEN(symbol, function, parameters, arguments, file) \
  int symbol parameters { \
    static int (*next)(int, const char *, int, ...); \
    if (next == NULL) next = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat"); \
    mode_t mode = 0; \
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
      va_list list; \
      va_start(list, flags); \
      mode = va_arg(list, mode_t); \
      va_end(list); \
    } \
    if (meet(function, file) == FAIL) return -1; \
    return next arguments; \
  }

OPEN(open, "open", (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode), PATH(path))
OPEN(open64, "open", (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode), PATH(path))
OPEN(openat, "openat", (int at, const char *path, int flags, ...), (at, path, flags, mode), AT(at, path))
OPEN(openat64, "openat", (int at, const char *path, int flags, ...), (at, path, flags, mode), AT(at, path))
// What `open` and `read` become in libraries that are compiled with checks of buffer sizes.
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open(path, flags); }
ssize_t __read_chk(int fd, void *bytes, size_t size, size_t all) { return size > all ? -1 : read(fd, bytes, size); }
ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t all, int flags) {
  return size > all ? -1 : recv(fd, bytes, size, flags);
}
CALL(FILE *, fopen, "fopen", (const char *path, const char *mode), (path, mode), PATH(path), NULL)
CALL(FILE *, fopen64, "fopen", (const char *path, const char *mode), (path, mode), PATH(path), NULL)

MOVE(read, "read", (int fd, void *bytes, size_t size), (fd, bytes, size), OPENED(fd))
MOVE(pread, "pread", (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), OPENED(fd))
MOVE(pread64, "pread", (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at), OPENED(fd))
MOVE(write, "write", (int fd, const void *bytes, size_t size), (fd, bytes, size), OPENED(fd))
MOVE(pwrite, "pwrite", (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), OPENED(fd))
MOVE(pwrite64, "pwrite", (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), OPENED(fd))
CALL(ssize_t, readv, "readv", (int fd, const struct iovec *parts, int number), (fd, parts, number), OPENED(fd), -1)
CALL(ssize_t, writev, "writev", (int fd, const struct iovec *parts, int number), (fd, parts, number), OPENED(fd), -1)
MOVE(copy_file_range, "copy_file_range",
     (int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags),
     (from, from_at, to, to_at, size, flags), OPENED(to))
MOVE(sendfile, "sendfile", (int to, int from, off_t *at, size_t size), (to, from, at, size), OPENED(to))

int close(int fd) {
  static int (*next)(int);
  if (next == NULL) next = (int (*)(int))dlsym(RTLD_NEXT, "close");
  if (meet("close", OPENED(fd)) == NONE) return next(fd);
  int code = errno;
  next(fd);
  errno = code;
  return action == ERRNO ? -1 : 0;
}
CALL(int, fsync, "fsync", (int fd), (fd), OPENED(fd), -1)
CALL(int, syncfs, "syncfs", (int fd), (fd), OPENED(fd), -1)
CALL(int, fdatasync, "fdatasync", (int fd), (fd), OPENED(fd), -1)
CALL(int, ftruncate, "ftruncate", (int fd, off_t size), (fd, size), OPENED(fd), -1)
CALL(int, ftruncate64, "ftruncate", (int fd, off64_t size), (fd, size), OPENED(fd), -1)
CALL(int, fallocate, "fallocate", (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), OPENED(fd), -1)
CALL(int, fallocate64, "fallocate", (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size), OPENED(fd), -1)
CALL(int, posix_fallocate, "posix_fallocate", (int fd, off_t at, off_t size), (fd, at, size), OPENED(fd), errno)
CALL(int, flock, "flock", (int fd, int operation), (fd, operation), OPENED(fd), -1)
CALL(int, fchmod, "fchmod", (int fd, mode_t mode), (fd, mode), OPENED(fd), -1)
CALL(off_t, lseek, "lseek", (int fd, off_t at, int from), (fd, at, from), OPENED(fd), -1)
CALL(off64_t, lseek64, "lseek", (int fd, off64_t at, int from), (fd, at, from), OPENED(fd), -1)

CALL(int, stat, "stat", (const char *path, struct stat *status), (path, status), PATH(path), -1)
CALL(int, stat64, "stat", (const char *path, struct stat64 *status), (path, status), PATH(path), -1)
CALL(int, lstat, "lstat", (const char *path, struct stat *status), (path, status), PATH(path), -1)
CALL(int, lstat64, "lstat", (const char *path, struct stat64 *status), (path, status), PATH(path), -1)
CALL(int, fstat, "fstat", (int fd, struct stat *status), (fd, status), OPENED(fd), -1)
CALL(int, fstat64, "fstat", (int fd, struct stat64 *status), (fd, status), OPENED(fd), -1)
CALL(int, fstatat, "fstatat", (int at, const char *path, struct stat *status, int flags), (at, path, status, flags),
     AT(at, path), -1)
CALL(int, fstatat64, "fstatat", (int at, const char *path, struct stat64 *status, int flags),
     (at, path, status, flags), AT(at, path), -1)
CALL(int, access, "access", (const char *path, int mode), (path, mode), PATH(path), -1)

CALL(int, rename, "rename", (const char *old, const char *new), (old, new), NEW_OLD(new, old), -1)
CALL(int, renameat, "renameat", (int olddir, const char *old, int newdir, const char *new), (olddir, old, newdir, new),
     NEW_OLD_AT(newdir, new, olddir, old), -1)
CALL(int, renameat2, "renameat2", (int olddir, const char *old, int newdir, const char *new, unsigned flags),
     (olddir, old, newdir, new, flags), NEW_OLD_AT(newdir, new, olddir, old), -1)
CALL(int, link, "link", (const char *old, const char *new), (old, new), NEW_OLD(new, old), -1)
CALL(int, linkat, "linkat", (int olddir, const char *old, int newdir, const char *new, int flags),
     (olddir, old, newdir, new, flags), NEW_OLD_AT(newdir, new, olddir, old), -1)
CALL(int, symlink, "symlink", (const char *to, const char *path), (to, path), NEW_OLD(path, to), -1)
CALL(int, symlinkat, "symlinkat", (const char *to, int at, const char *path), (to, at, path),
     NEW_OLD_AT(at, path, AT_FDCWD, to), -1)
CALL(int, unlink, "unlink", (const char *path), (path), PATH(path), -1)
CALL(int, unlinkat, "unlinkat", (int at, const char *path, int flags), (at, path, flags), AT(at, path), -1)
CALL(int, rmdir, "rmdir", (const char *path), (path), PATH(path), -1)
CALL(int, mkdir, "mkdir", (const char *path, mode_t mode), (path, mode), PATH(path), -1)
CALL(int, mkdirat, "mkdirat", (int at, const char *path, mode_t mode), (at, path, mode), AT(at, path), -1)
CALL(int, chmod, "chmod", (const char *path, mode_t mode), (path, mode), PATH(path), -1)
CALL(ssize_t, readlink, "readlink", (const char *path, char *name, size_t size), (path, name, size), PATH(path), -1)
CALL(ssize_t, readlinkat, "readlinkat", (int at, const char *path, char *name, size_t size), (at, path, name, size),
     AT(at, path), -1)
CALL(char *, realpath, "realpath", (const char *path, char *name), (path, name), PATH(path), NULL)

CALL(DIR *, opendir, "opendir", (const char *path), (path), PATH(path), NULL)
CALL(DIR *, fdopendir, "fdopendir", (int fd), (fd), OPENED(fd), NULL)
CALL(struct dirent *, readdir, "readdir", (DIR * directory), (directory), OPENED(dirfd(directory)), NULL)
CALL(struct dirent64 *, readdir64, "readdir", (DIR * directory), (directory), OPENED(dirfd(directory)), NULL)

// Memory that is not a file's is not counted: the number of those calls changes from run to run.
#define MAP(symbol, offset) \
  void *symbol(void *place, size_t size, int protection, int flags, int fd, offset at) { \
    static void *(*next)(void *, size_t, int, int, int, offset); \
    if (next == NULL) next = (void *(*)(void *, size_t, int, int, int, offset))dlsym(RTLD_NEXT, #symbol); \
    if (fd >= 0 && meet("mmap", OPENED(fd)) == FAIL) return MAP_FAILED; \
    return next(place, size, protection, flags, fd, at); \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

CALL(int, socket, "socket", (int family, int type, int protocol), (family, type, protocol), NO_FILE, -1)
CALL(int, connect, "connect", (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), OPENED(fd), -1)
MOVE(send, "send", (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags), OPENED(fd))
MOVE(recv, "recv", (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags), OPENED(fd))
CALL(int, getaddrinfo, "getaddrinfo",
     (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found),
     (host, service, hints, found), NO_FILE, EAI_SYSTEM)
CALL(int, pipe, "pipe", (int ends[2]), (ends), NO_FILE, -1)
CALL(int, pipe2, "pipe2", (int ends[2], int flags), (ends, flags), NO_FILE, -1)
CALL(int, posix_spawn, "posix_spawn",
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const words[], char *const variables[]),
     (process, path, actions, attributes, words, variables), PATH(path), errno)
