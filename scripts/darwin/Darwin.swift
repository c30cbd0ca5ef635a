// What Apple's module Darwin has in Swift over its C headers, as far as the sources use it: check_macos.py compiles them
// against this. Nothing here is ever run.

@_exported import DarwinC

public var errno: Int32 {
  get { unsafe __error().pointee }
  set { unsafe __error().pointee = newValue }
}

public var stdin: UnsafeMutablePointer<FILE> { unsafe __stdinp }
public var stdout: UnsafeMutablePointer<FILE> { unsafe __stdoutp }
public var stderr: UnsafeMutablePointer<FILE> { unsafe __stderrp }

public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { unsafe _NSGetEnviron().pointee! }

// Functions with variable arguments and macros with casts are not imported.

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
public func openat(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func openat(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t)
  -> Int32
{ -1 }
public func fcntl(_ file: Int32, _ command: Int32) -> Int32 { -1 }
public func fcntl(_ file: Int32, _ command: Int32, _ value: Int32) -> Int32 { -1 }
public func fcntl(_ file: Int32, _ command: Int32, _ value: UnsafeMutableRawPointer) -> Int32 { -1 }
public func ioctl(_ file: CInt, _ request: UInt) -> CInt { -1 }
public func ioctl(_ file: CInt, _ request: UInt, _ value: CInt) -> CInt { -1 }
public func ioctl(_ file: CInt, _ request: UInt, _ value: UnsafeMutableRawPointer) -> CInt { -1 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }

public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { unsafe unsafeBitCast(1, to: sig_t.self) }
public var SIG_ERR: sig_t { unsafe unsafeBitCast(-1, to: sig_t.self) }

public var MAP_FAILED: UnsafeMutableRawPointer! { unsafe UnsafeMutableRawPointer(bitPattern: -1) }

public var TIOCGWINSZ: UInt { 0x4008_7468 }

public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { _CLOCK_PROCESS_CPUTIME_ID }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { _CLOCK_THREAD_CPUTIME_ID }
