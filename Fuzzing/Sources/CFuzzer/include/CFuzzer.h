// libFuzzer's entry for programs that have a main of their own.
// Source: compiler-rt, include/fuzzer/FuzzerInterface.h.

#ifndef C_FUZZER_H
#define C_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs `callback` on input after input, as the arguments say. Returns the status to exit with.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
