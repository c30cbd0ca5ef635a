// Text in other encodings to UTF-8, as it streams by, through the system's iconv.
//
// What is no text in its encoding becomes the byte 0xFF, which is no UTF-8 anywhere: so the row that holds it is
// rejected like any other that is not UTF-8, and nothing is replaced in silence.
//
// Not for: telling which encoding a text has (ByteOrderMark knows the few that say so themselves).

import BasicContainers
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A converter from one encoding to UTF-8. It holds some bytes of a character that a chunk's end cut.
@safe struct TextDecoder: ~Copyable {
  /// The most bytes that come out at once: what a reader has as its window stays in the second-level cache.
  static let outputBytesMax = 64 * 1024
  /// The least free room for another step: more than any character, or what iconv holds back, takes.
  private static let stepBytesMax = 64
  /// The longest unfinished character. The longest that are known have 8 bytes, with what switches a state.
  private static let carriedBytesMax = 16
  /// What stands for something that is no text.
  private static let invalid: UInt8 = 0xFF

  private let handle: iconv_t
  /// The bytes of the encoding's smallest unit: so many are passed over when they are no text.
  private let unitBytes: Int
  private var carried: ContiguousArray<UInt8> = []

  /// Opens a converter; nil if iconv does not know the encoding.
  init?(_ name: String) {
    // `//IGNORE` and its like would drop in silence what is no text.
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

  /// Whether iconv knows the encoding.
  static func isKnown(_ name: String) -> Bool {
    let decoder = TextDecoder(name)
    return decoder != nil
  }

  /// Whether a name is one of UTF-8's, which needs no converter.
  static func isUTF8(_ name: String) -> Bool {
    ["UTF-8", "UTF8"].contains(name.uppercased())
  }

  /// Converts `bytes` from `start` on until they are used up or `output` is full; returns the index of the first
  /// byte that was not used.
  ///
  /// - Precondition: `output` has room for ``outputBytesMax`` bytes at first.
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

  /// Ends the text: what is unfinished is no text; what iconv held back comes out.
  mutating func finish(into output: inout ByteChunk) {
    if !carried.isEmpty { output.bytes.append(Self.invalid) }
    carried.removeAll()
    _ = unsafe output.fill { room in
      var target = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = room.count
      _ = unsafe iconv(handle, nil, nil, &target, &left)
      return room.count - left
    }
    _ = unsafe iconv(handle, nil, nil, nil, nil)
  }

  // MARK: Steps

  private enum StepEnd {
    case done, full, invalid, cut
  }

  /// Adds bytes to the carried ones until they are a character or no text; returns the index behind those that
  /// were used.
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

  /// Looks again at what is carried behind something that was no text.
  private mutating func reread(into output: inout ByteChunk) {
    while !carried.isEmpty, output.freeCapacity > Self.carriedBytesMax {
      let step = run(carried.span, into: &output)
      carried.removeFirst(step.used)
      guard step.end == .invalid else { return }
      output.bytes.append(Self.invalid)
      carried.removeFirst(min(unitBytes, carried.count))
    }
  }

  private func run(_ bytes: Span<UInt8>, into output: inout ByteChunk) -> (used: Int, end: StepEnd) {
    var used = 0
    var end = StepEnd.done
    _ = unsafe output.fill { room in
      // One byte stays free for the mark of what is no text.
      let roomCount = room.count - 1
      var written = 0
      unsafe bytes.withUnsafeBufferPointer { (source: UnsafeBufferPointer<UInt8>) in
        let raw = unsafe UnsafeMutableRawPointer(mutating: UnsafeRawPointer(source.baseAddress))
        var from = unsafe raw?.assumingMemoryBound(to: CChar.self)
        var fromLeft = source.count
        var target = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
        var targetLeft = roomCount
        // iconv reads through its pointer and never writes there; that it takes no `const` is history.
        let result = unsafe iconv(handle, &from, &fromLeft, &target, &targetLeft)
        let code = errno
        used = source.count - fromLeft
        written = roomCount - targetLeft
        if result == -1 {
          end = code == EINVAL ? .cut : code == E2BIG ? .full : .invalid
        }
      }
      return written
    }
    return (used, end)
  }
}
