// What Swift's module Synchronization for Linux calls, and declares only with Linux' headers.
static inline unsigned _swift_stdlib_gettid(void) { return 0; }
static inline unsigned _swift_stdlib_futex_lock(unsigned *lock) { return 0; }
static inline unsigned _swift_stdlib_futex_trylock(unsigned *lock) { return 0; }
static inline unsigned _swift_stdlib_futex_unlock(unsigned *lock) { return 0; }
