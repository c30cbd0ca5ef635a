// Hands libFuzzer's inputs to a Swift function as spans. Not for what is done with them (the fuzz targets).

import CFuzzer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What each input is given to. Written once, before libFuzzer starts, and read by its one thread only.
nonisolated(unsafe) private var target: (Span<UInt8>) -> Void = { _ in }

/// Runs `body` on libFuzzer's inputs until it has enough of them, and ends the program.
///
/// A trap in `body`, or memory misused, is a crash that libFuzzer reports and keeps.
public func fuzz(_ body: @escaping (Span<UInt8>) -> Void) -> Never {
  unsafe target = body
  var count = CommandLine.argc
  var arguments = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    let input = unsafe UnsafeBufferPointer(start: data, count: data == nil ? 0 : size)
    unsafe target(input.span)
    return 0
  }
  exit(status)
}
