// The file of all rejects: one line each, ordered by source and stage, so that its bytes do not depend on the threads.
//
// Lines are written as they come. If those of several stages are interleaved, they are copied into their order at the
// end. Not for: counting and limits (RejectLog).

import CallRecord
import SystemIO
import SystemPackage

/// Writes rejects to a file.
struct RejectFile: ~Copyable {
  /// Adjacent lines with the same origin.
  private struct Segment {
    var sourceIndex: Int
    var stagePosition: Int
    var start: Int64
    var count: Int64
  }

  private let path: String
  private let calls: any SystemCalls
  private var file: OutputFile
  /// At most two per batch of rows: stages of one source alternate after a batch.
  private var segments: [Segment] = []
  private var size: Int64 = 0

  init(_ path: String, calls: any SystemCalls) throws(SystemError) {
    file = try OutputFile(path, calls: calls)
    self.path = path
    self.calls = calls
  }

  /// Writes the line of a reject.
  mutating func append(_ reject: Reject) throws(SystemError) {
    let line = Self.line(of: reject)
    try file.write(line.span)
    let origin = reject.origin
    if let last = segments.last, last.sourceIndex == origin.sourceIndex,
      last.stagePosition == origin.stagePosition
    {
      segments[segments.count - 1].count += Int64(line.count)
    } else {
      segments.append(
        Segment(
          sourceIndex: origin.sourceIndex, stagePosition: origin.stagePosition, start: size,
          count: Int64(line.count)))
    }
    size += Int64(line.count)
  }

  /// Puts the lines in order, and renames the file to its final name. What a pipe or a device has received stays in the
  /// order of arrival.
  consuming func publish() throws(SystemError) {
    let ordered = segments.sorted { one, other in
      (one.sourceIndex, one.stagePosition, one.start) < (other.sourceIndex, other.stagePosition, other.start)
    }
    let isOrdered = zip(ordered, ordered.dropFirst()).allSatisfy { $0.start < $1.start }
    guard file.isNew, !isOrdered else { return try file.publish(durably: false) }
    var sorted = try OutputFile(path, removesLeftovers: false, calls: calls)
    var chunk = ByteChunk()
    for segment in ordered {
      var offset = segment.start
      let end = segment.start + segment.count
      while offset < end {
        chunk.removeAll()
        let count = try file.read(into: &chunk, at: offset)
        guard count > 0 else { throw SystemError(.writeOutput, path, .ioError) }
        let used = min(count, Int(end - offset))
        try sorted.write(chunk.span.extracting(0..<used))
        offset += Int64(used)
      }
    }
    try sorted.publish(durably: false)
  }

  /// `stage TAB location TAB reason TAB text`, escaped like the text form. Bytes that are not UTF-8 become U+FFFD.
  private static func line(of reject: Reject) -> [UInt8] {
    var line = Array(reject.stage.rawValue.utf8)
    let place =
      switch reject.place {
      case .row(let row): "row \(row)"
      case .sourceRow(let row, let input, let source): "\(input) row \(row) of source '\(source)'"
      case .line(let number, let byte, let input):
        "\(input):\(number) byte \(byte)"
          + (reject.origin.source.isEmpty ? "" : " of source '\(reject.origin.source)'")
      }
    for column in [place, reject.reason.code, String(decoding: reject.text, as: UTF8.self)] {
      line.append(UInt8(ascii: "\t"))
      line.append(contentsOf: RecordFields.bytes(RecordFields.Fields(label: column)))
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
