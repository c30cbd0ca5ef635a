// The file of all rejects: one line each, ordered by source and stage, so that its bytes do not depend on the threads.
//
// Lines are written as they come. If those of several stages are interleaved, they are copied into their order at the
// end, or earlier if they are interleaved very often. A pipe or a device receives them as they come, or at the end if the
// run may be repeated. Not for: counting and limits (RejectLog).

import SystemIO
import SystemPackage

/// Writes rejects to a file.
struct RejectFile: ~Copyable {
  /// Adjacent lines with the same origin.
  private struct Segment {
    var origin: RejectOrigin
    var start: Int64
    var count: Int64
  }

  /// The maximum number of segments, unless there are more origins: the lines are put in order then, which leaves one
  /// for each origin. Stages of one source alternate after a batch of rows.
  private static let segmentsMax = 1 << 14

  private let path: String
  private let calls: any SystemCalls
  private var file: OutputFile
  /// The pipe or device that receives the lines at the end; nil if ``file`` is the output itself.
  private var stream: OutputFile?
  private var segments: [Segment] = []
  /// The number of segments at which the lines are put in order.
  private var segmentsLimit = segmentsMax
  private var size: Int64 = 0

  /// Opens the file. With `isRepeatable`, nothing is written to a pipe or a device before ``publish()``.
  init(_ path: String, isRepeatable: Bool = false, calls: any SystemCalls) throws(SystemError) {
    let spoolPath = TemporaryFile.defaultDirectory + "/cdpipe-rejects"
    // Everything that can throw comes before the first property is set; OutputFile explains why.
    let output = try OutputFile(path, calls: calls)
    let spool =
      try isRepeatable && !output.isNew ? Self.privateFile(spoolPath, removesLeftovers: true, calls) : nil
    self.calls = calls
    switch consume spool {
    case .some(let spool):
      self.path = spoolPath
      file = consume spool
      stream = consume output
    case nil:
      self.path = path
      file = consume output
      stream = nil
    }
  }

  /// A file in the directory of temporary files, which is never published.
  private static func privateFile(
    _ path: String, removesLeftovers: Bool = false, _ calls: any SystemCalls
  ) throws(SystemError) -> OutputFile {
    let file = try OutputFile(path, removesLeftovers: removesLeftovers, calls: calls)
    try? calls.setPermissions(file.descriptor, [.ownerReadWrite])
    return file
  }

  /// Writes the line of a reject.
  mutating func append(_ reject: Reject) throws(SystemError) {
    let line = Self.line(of: reject)
    try file.write(line.span)
    // What a pipe or a device has received can't be put in order.
    guard file.isNew else { return }
    let origin = reject.origin
    if let last = segments.last, !last.origin.precedes(origin), !origin.precedes(last.origin) {
      segments[segments.count - 1].count += Int64(line.count)
    } else {
      segments.append(Segment(origin: origin, start: size, count: Int64(line.count)))
    }
    size += Int64(line.count)
    if segments.count >= segmentsLimit { try order() }
  }

  /// Puts the lines in order, and renames the file to its final name. What a pipe or a device has received stays in the
  /// order of arrival.
  consuming func publish() throws(SystemError) {
    try order()
    guard var stream = stream.take() else { return try file.publish(durably: false) }
    try Self.copy(from: &file, 0..<size, to: &stream, path)
    try stream.publish(durably: false)
  }

  private static func copy(
    from file: inout OutputFile, _ range: Range<Int64>, to target: inout OutputFile, _ path: String
  ) throws(SystemError) {
    var chunk = ByteChunk()
    var offset = range.lowerBound
    while offset < range.upperBound {
      chunk.removeAll()
      let count = try file.read(into: &chunk, at: offset, limit: Int(range.upperBound - offset))
      guard count > 0 else { throw SystemError(.writeOutput, path, .ioError) }
      try target.write(chunk)
      offset += Int64(count)
    }
  }

  /// Copies the lines into their order, unless they are in it.
  private mutating func order() throws(SystemError) {
    let ordered = segments.sorted { one, other in
      one.origin.precedes(other.origin) || !other.origin.precedes(one.origin) && one.start < other.start
    }
    if !zip(ordered, ordered.dropFirst()).allSatisfy({ $0.start < $1.start }) {
      var sorted =
        try stream == nil
        ? OutputFile(path, removesLeftovers: false, calls: calls) : Self.privateFile(path, calls)
      for segment in ordered {
        try Self.copy(from: &file, segment.start..<segment.start + segment.count, to: &sorted, path)
      }
      file = sorted
    }
    segments.removeAll()
    var start: Int64 = 0
    for segment in ordered {
      if let last = segments.last, !last.origin.precedes(segment.origin) {
        segments[segments.count - 1].count += segment.count
      } else {
        segments.append(Segment(origin: segment.origin, start: start, count: segment.count))
      }
      start += segment.count
    }
    segmentsLimit = max(Self.segmentsMax, 2 * segments.count)
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
