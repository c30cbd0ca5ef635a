// glibc's setting for large blocks, which Swift's Glibc module lacks.

#ifndef CMALLOC_H
#define CMALLOC_H

/// Makes blocks of at least 1 MiB return to the system when they are freed.
///
/// Otherwise glibc raises that threshold with every large block that is freed, up to 32 MiB, and keeps smaller blocks:
/// the columns of all runs of a sort would stay resident. Does nothing with other libcs.
void cdp_return_large_blocks(void);

#endif
