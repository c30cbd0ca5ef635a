// glibc's knob for large blocks, which its Swift overlay leaves out.

#ifndef CMALLOC_H
#define CMALLOC_H

/// From now on blocks of a mebibyte and more go back to the system when they are freed.
///
/// glibc otherwise raises that bound with every large block that is freed, up to 32 MiB, and keeps what is below it:
/// a sort's columns, which come and go with its runs, would stay resident together. Elsewhere it does nothing.
void cdp_return_large_blocks(void);

#endif
