// libzip, opened at the first zip member because linking it would slow down the start of every filter.
//
// Not for: the directory of an archive, limits, and the meaning of errors, which are up to the unzip stage; zlib
// (CLibZ).

#ifndef CDPIPE_LIBZIP_H
#define CDPIPE_LIBZIP_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library, once per process. Returns 0, or an error number like cdp_library_load. Any thread may call it.
int cdp_zip_load(void);
/// Returns whether a library of another name could be opened, for tests of the error.
_Bool cdp_zip_library_is_usable(const char *file_name);
/// The library's file name, for messages.
const char *cdp_zip_library_name(void);
/// Whether the loaded library can decompress a method (APPNOTE 4.4.5).
_Bool cdp_zip_method_is_supported(uint16_t method);
/// Whether the loaded library can decrypt WinZip's AES of a strength: 1, 2 or 3 for 128, 192 or 256 bits; 0 means the
/// traditional PKWARE encryption.
_Bool cdp_zip_encryption_is_supported(unsigned strength);

/// A member that is being read.
typedef struct cdp_zip_member cdp_zip_member;

/// The kinds of errors that the unzip stage distinguishes.
typedef enum cdp_zip_error_kind {
  CDP_ZIP_NONE,
  /// The bytes violate the format.
  CDP_ZIP_DAMAGED,
  CDP_ZIP_CHECKSUM,
  /// The password is wrong.
  CDP_ZIP_PASSWORD,
  CDP_ZIP_METHOD,
  CDP_ZIP_MEMORY,
  /// Reading the file failed; `system` is the errno.
  CDP_ZIP_READ,
} cdp_zip_error_kind;

typedef struct cdp_zip_error {
  cdp_zip_error_kind kind;
  int system;
  /// libzip's error code and message.
  int code;
  char text[160];
} cdp_zip_error;

/// Opens one member. libzip sees an archive that contains nothing else: the `length` bytes at `start` of the file,
/// which are the member's header and data; `tail_count` bytes at `tail`, which are its directory; and
/// CDP_ZIP_COMMENT_BYTES zeros, the comment of the archive.
///
/// With `is_raw`, reading returns the compressed bytes, decrypted; else the decompressed bytes. `password` may be NULL.
/// The caller owns the descriptor, which must stay open as long as the member. Returns NULL on error.
cdp_zip_member *cdp_zip_member_open(int file, uint64_t start, uint64_t length, const void *tail, size_t tail_count,
                                    const char *password, _Bool is_raw, cdp_zip_error *error);
void cdp_zip_member_close(cdp_zip_member *member);
/// Reads bytes and returns how many: 0 at the end, -1 on error.
int64_t cdp_zip_member_read(cdp_zip_member *member, void *buffer, size_t count, cdp_zip_error *error);

/// The largest size of a comment. libzip searches that many bytes at the end for the end of the archive, and must not
/// find it in a member's data.
#define CDP_ZIP_COMMENT_BYTES 65535

#endif
