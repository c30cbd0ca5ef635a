// libFuzzer's entry point for programs with their own main function. Source: compiler-rt,
// include/fuzzer/FuzzerInterface.h.

#ifndef C_FUZZER_H
#define C_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs `callback` on inputs according to the arguments. Returns the exit status.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
