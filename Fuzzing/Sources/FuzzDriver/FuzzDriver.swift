// Passes libFuzzer's inputs to a Swift function as spans. Not for testing them (the fuzz targets).

import CFuzzer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The function that receives each input. Written once, before libFuzzer starts, and read only by its single thread.
nonisolated(unsafe) private var target: (Span<UInt8>) -> Void = { _ in }

/// Runs `body` on libFuzzer's inputs until libFuzzer stops, then ends the program.
///
/// libFuzzer reports a trap or a memory error in `body` as a crash, and saves the input.
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
