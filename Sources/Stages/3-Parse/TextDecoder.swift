// Converts a stream of text to UTF-8 with the system's iconv.
//
// Bytes that are invalid in the encoding become the byte 0xFF, which never occurs in UTF-8: the row that contains it is
// then rejected like any other that is not UTF-8, and nothing is replaced silently.
//
// Not for: detecting the encoding (ByteOrderMark).

import BasicContainers
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A converter from one encoding to UTF-8. It buffers the bytes of a character that crosses the end of a chunk.
@safe struct TextDecoder: ~Copyable {
  /// The maximum number of bytes of output per call: a reader's window stays in the second-level cache.
  static let outputBytesMax = 64 * 1024
  /// The minimum free capacity for another step: more than any character, or iconv's own state, needs.
  private static let stepBytesMax = 64
  /// The maximum size of an unfinished character. The longest known ones have 8 bytes, including a shift sequence.
  private static let carriedBytesMax = 16
  /// The byte that replaces an invalid byte.
  private static let invalid: UInt8 = 0xFF

  private let handle: iconv_t
  /// The size of the encoding's code unit: the number of bytes that are skipped after an error.
  private let unitBytes: Int
  private var carried: ContiguousArray<UInt8> = []

  /// Opens a converter; nil if iconv does not support the encoding.
  init?(_ name: String) {
    // `//IGNORE` and similar suffixes would silently drop invalid bytes.
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { return nil }
    let opened = unsafe iconv_open("UTF-8", name)
    guard unsafe opened != iconv_t(bitPattern: -1), let opened = unsafe opened else { return nil }
    unsafe handle = opened
    let upper = name.uppercased()
    if ["UTF-16", "UTF16", "UCS-2", "UCS2", "UNICODE"].contains(where: { upper.contains($0) }) {
      unitBytes = 2
    } else if ["UTF-32", "UTF32", "UCS-4", "UCS4", "10646"].contains(where: { upper.contains($0) }) {
      unitBytes = 4
    } else {
      unitBytes = 1
    }
  }

  deinit {
    unsafe iconv_close(handle)
  }

  /// Whether iconv supports the encoding.
  static func isKnown(_ name: String) -> Bool {
    let decoder = TextDecoder(name)
    return decoder != nil
  }

  /// Whether a name stands for UTF-8, which needs no converter.
  static func isUTF8(_ name: String) -> Bool {
    ["UTF-8", "UTF8"].contains(name.uppercased())
  }

  /// Converts `bytes` from `start` on until they are used up or `output` is full; returns the index of the first
  /// byte that was not used.
  ///
  /// - Precondition: `output` has capacity for ``outputBytesMax`` bytes at first.
  mutating func convert(_ bytes: Span<UInt8>, from start: Int, into output: inout ByteChunk) -> Int {
    var at = start
    while !carried.isEmpty, at < bytes.count {
      guard output.freeCapacity >= Self.stepBytesMax else { return at }
      at = finishCarried(bytes, at, into: &output)
    }
    while at < bytes.count, output.freeCapacity >= Self.stepBytesMax {
      let step = run(bytes.extracting(at..<bytes.count), into: &output)
      at += step.used
      switch step.end {
      case .done, .full: break
      case .invalid:
        output.bytes.append(Self.invalid)
        at += min(unitBytes, bytes.count - at)
      case .cut:
        if bytes.count - at > Self.carriedBytesMax {
          output.bytes.append(Self.invalid)
          at += unitBytes
        } else {
          while at < bytes.count {
            carried.append(bytes[at])
            at += 1
          }
        }
      }
    }
    return at
  }

  /// Ends the text: an unfinished character is invalid; the output that iconv still buffers is written.
  mutating func finish(into output: inout ByteChunk) {
    if !carried.isEmpty { output.bytes.append(Self.invalid) }
    carried.removeAll()
    _ = unsafe output.fill { buffer in
      var target = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = buffer.count
      _ = unsafe iconv(handle, nil, nil, &target, &left)
      return buffer.count - left
    }
    _ = unsafe iconv(handle, nil, nil, nil, nil)
  }

  // MARK: Steps

  private enum ConversionEnd {
    case done, full, invalid, cut
  }

  /// Adds a byte to the carried ones, and converts them if they form a character or can't become one; returns the index
  /// after it.
  private mutating func finishCarried(_ bytes: Span<UInt8>, _ start: Int, into output: inout ByteChunk) -> Int
  {
    var at = start
    carried.append(bytes[at])
    at += 1
    let step = run(carried.span, into: &output)
    carried.removeFirst(step.used)
    if carried.isEmpty { return at }
    if step.end == .invalid || carried.count > Self.carriedBytesMax {
      output.bytes.append(Self.invalid)
      carried.removeFirst(min(unitBytes, carried.count))
      reread(into: &output)
    }
    return at
  }

  /// Converts the carried bytes that follow invalid bytes.
  private mutating func reread(into output: inout ByteChunk) {
    while !carried.isEmpty, output.freeCapacity > Self.carriedBytesMax {
      let step = run(carried.span, into: &output)
      carried.removeFirst(step.used)
      guard step.end == .invalid else { return }
      output.bytes.append(Self.invalid)
      carried.removeFirst(min(unitBytes, carried.count))
    }
  }

  private func run(_ bytes: Span<UInt8>, into output: inout ByteChunk) -> (used: Int, end: ConversionEnd) {
    var used = 0
    var end = ConversionEnd.done
    _ = unsafe output.fill { buffer in
      // One byte stays free for the replacement byte.
      let outputCapacity = buffer.count - 1
      var written = 0
      unsafe bytes.withUnsafeBufferPointer { (source: UnsafeBufferPointer<UInt8>) in
        let raw = unsafe UnsafeMutableRawPointer(mutating: UnsafeRawPointer(source.baseAddress))
        var from = unsafe raw?.assumingMemoryBound(to: CChar.self)
        var fromLeft = source.count
        var target = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        var targetLeft = outputCapacity
        // iconv never writes through this pointer; it lacks `const` for historical reasons.
        let result = unsafe iconv(handle, &from, &fromLeft, &target, &targetLeft)
        let code = errno
        used = source.count - fromLeft
        written = outputCapacity - targetLeft
        if result == -1 {
          end = code == EINVAL ? .cut : code == E2BIG ? .full : .invalid
        }
      }
      return written
    }
    return (used, end)
  }
}
