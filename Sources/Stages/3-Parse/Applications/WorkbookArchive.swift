// The zip archive of a workbook: finds parts by their names, and parses them as XML.

import Records
import SystemIO
import SystemPackage

/// The parts of a workbook in a temporary file.
final class WorkbookArchive {
  private let spool: InputSpool
  private let context: StageContext
  private let input: String
  private var directory: CentralDirectory
  private var headers: FileWindow

  /// The size of the pieces in which parts are parsed, in bytes.
  private static let pieceBytes = 64 * 1024

  init(_ spool: consuming InputSpool, input: String, _ context: StageContext) throws(Failure) {
    let size = UInt64(spool.file.size)
    // Everything that can fail comes before the first property is set.
    let descriptor = spool.file.descriptor
    let spill = spool.file.directory
    func failed(_ error: ZipError) -> Failure { WorkbookArchive.failure(error, spill, input, context) }
    let found: CentralDirectory
    do throws(ZipError) {
      try ZipMember.load()
      found = try CentralDirectory(.zipDirectory(descriptor, size: size, calls: context.calls))
    } catch {
      throw failed(error)
    }
    guard found.end.count <= WorkbookLimits.membersMax else {
      throw .parse(
        "too-many-members",
        "\(InputName.quoted(input)) has more than \(Figures.grouped(WorkbookLimits.membersMax)) parts")
    }
    directory = found
    headers = .zipHeaders(descriptor, size: size, calls: context.calls)
    self.spool = spool
    self.context = context
    self.input = input
  }

  /// The kind of document that the archive is, if it is not a workbook; nil if it contains none.
  ///
  /// - Complexity: O(members).
  func otherFormat() throws(Failure) -> OfficeFormat? {
    let marks: [(name: String, format: OfficeFormat)] = [
      ("xl/workbook.bin", .excelBinary), ("index/document.iwa", .numbers), ("index.zip", .numbers),
      ("word/document.xml", .other), ("ppt/presentation.xml", .other), ("content.xml", .openDocument),
    ]
    for mark in marks {
      if try part(named: mark.name) != nil { return mark.format }
    }
    return nil
  }

  /// Finds a part, ignoring the case of ASCII letters, and with either slash; nil if there is none.
  ///
  /// - Complexity: O(members).
  func part(named name: String) throws(Failure) -> ZipEntry? {
    let wanted = Self.plain(name)
    do throws(ZipError) {
      directory.rewind()
      while let entry = try directory.next() {
        if Self.plain(entry.name) == wanted { return entry }
      }
      return nil
    } catch {
      throw failure(error)
    }
  }

  private static func plain(_ name: String) -> [UInt8] {
    let bytes = name.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0.asciiCapital }
    return bytes.first == UInt8(ascii: "/") ? Array(bytes.dropFirst()) : bytes
  }

  /// Parses a part of at most `limit` unpacked bytes. `rows` receives what the handler makes of it.
  func parse(
    _ part: ZipEntry, limit: UInt64, _ handler: any XMLHandler, into rows: inout RowWriter
  ) throws(Failure) {
    // The size is verified while the part is unpacked.
    guard part.size <= limit else {
      throw .parse(
        "part-too-large",
        "\(InputName.quoted(input)): '\(PrintableText.line(part.name))' unpacks to more than "
          + Figures.byteLimit(limit))
    }
    guard !part.isEncrypted else { throw .unsupportedDocument(.encrypted, input: input) }
    if let problem = ZipMember.problem(with: part) { throw failure(problem) }
    var reader: MemberReader
    do throws(ZipError) {
      let location = try MemberLocation.find(part, limit: directory.end.directoryStart, in: &headers)
      reader = try MemberReader(spool.file.descriptor, part, location, password: nil)
    } catch {
      throw failure(error)
    }
    let parser = try ExpatParser(
      "\(InputName.plain(input)): '\(PrintableText.line(part.name))'", handler: handler)
    var chunk = ByteChunk(capacity: Self.pieceBytes)
    while true {
      do throws(ZipError) {
        _ = try reader.read(into: &chunk)
      } catch {
        throw failure(error)
      }
      let isLast = chunk.isEmpty
      try parser.parse(chunk.span, isLast: isLast, into: &rows)
      if isLast { return }
      chunk.removeAll()
    }
  }

  /// Whether a sheet's part has cells with values, as far as its first bytes show; false for a damaged part, which is not
  /// needed.
  func hasValues(_ part: ZipEntry) -> Bool {
    guard !part.isEncrypted, ZipMember.problem(with: part) == nil else { return false }
    var chunk = ByteChunk(capacity: Self.pieceBytes)
    do throws(ZipError) {
      let location = try MemberLocation.find(part, limit: directory.end.directoryStart, in: &headers)
      var reader = try MemberReader(spool.file.descriptor, part, location, password: nil)
      while chunk.freeCapacity > 0, try reader.read(into: &chunk) > 0 {}
    } catch {
      return false
    }
    // The end of an element of a value, `</v>` or `</x:v>`, or the start of a text's, `<is>`.
    let bytes = chunk.span
    for index in 2..<max(2, bytes.count) where bytes[index] == UInt8(ascii: ">") {
      let isValue = bytes[index - 1] == UInt8(ascii: "v")
      let isText = bytes[index - 1] == UInt8(ascii: "s") && bytes[index - 2] == UInt8(ascii: "i")
      if isValue || isText { return true }
    }
    return false
  }

  // MARK: Failures

  private func failure(_ error: ZipError) -> Failure {
    Self.failure(error, spool.file.directory, input, context)
  }

  private static func failure(
    _ error: ZipError, _ spill: String, _ input: String, _ context: StageContext
  ) -> Failure {
    let stage = context.stage
    func damaged(_ name: String, _ reason: MemberErrorReason?) -> Failure {
      .parse(
        "damaged-part",
        "\(InputName.quoted(input)) is damaged: '\(PrintableText.line(name))': "
          + (reason?.text ?? "wrong checksum or size"), hint: "copy or download it again")
    }
    switch error {
    case .libraryMissing(let name, let package): return .parserMissing(name, package: package)
    case .library(let systemError): return Failure(stage, systemError)
    case .unreadable(let code): return Failure(stage, SystemError(.readSpill, spill, code))
    case .outOfMemory: return Failure(stage, SystemError(.readSpill, spill, .noMemory))
    case .damagedArchive(let reason):
      return .parse(
        "damaged-archive", "\(InputName.quoted(input)) is damaged or truncated: \(reason.text)",
        hint: "copy or download it again")
    case .damagedMember(let name, let reason): return damaged(name, reason)
    case .wrongChecksum(let name), .wrongSize(let name, _, _): return damaged(name, nil)
    case .wrongPassword, .wrongPasswordOrDamaged, .unsupportedEncryption:
      return .unsupportedDocument(.encrypted, input: input)
    case .unsupportedMethod(let name, _): return damaged(name, nil)
    }
  }
}

// MARK: - SharedStrings
// The texts that the cells of a workbook share, in temporary files: a workbook may have more of them than fit in memory.
// One file has the texts one after another, the other one the offset after each text.

/// A temporary file that is written in large pieces.
private struct BufferedSpill: ~Copyable {
  private(set) var file: TemporaryFile
  private var buffer = ByteChunk(capacity: 64 * 1024)

  init(_ calls: any SystemCalls) throws(SystemError) {
    file = try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: calls)
  }

  mutating func append(_ bytes: Span<UInt8>) throws(SystemError) {
    if bytes.count > buffer.freeCapacity { try flush() }
    if bytes.count > buffer.freeCapacity { try file.append(bytes) } else { buffer.append(bytes) }
  }

  mutating func flush() throws(SystemError) {
    try file.append(buffer)
    buffer.removeAll()
  }
}

final class SharedStrings: XMLHandler {
  private let context: StageContext
  private var texts: BufferedSpill
  private var offsets: BufferedSpill
  /// The windows for reading, once all strings are written.
  private var textWindow: FileWindow?
  private var offsetWindow: FileWindow?
  /// The number of strings, and of bytes of their texts.
  private var count: UInt64 = 0
  private var bytes: UInt64 = 0
  private var current: RichText
  private var isInString = false

  /// How many bytes are read at a time: cells refer to neighbours, or to strings anywhere in a large file.
  private static let readAheadBytes = 4 * 1024
  private static let windowBytes = 64 * 1024
  private static let offsetBytes: UInt64 = 8

  /// Makes empty files. A text is cut after the first byte beyond `textBytesMax`; one with an unknown entity is replaced
  /// by a byte that is not UTF-8, so that the rows with it are rejected.
  init(textBytesMax: Int, _ context: StageContext) throws(Failure) {
    // Everything that can fail comes before the first property is set.
    let first = try SharedStrings.makeSpill(context)
    let second = try SharedStrings.makeSpill(context)
    self.context = context
    current = RichText(bytesMax: textBytesMax)
    texts = first
    offsets = second
  }

  private static func makeSpill(_ context: StageContext) throws(Failure) -> BufferedSpill {
    try asFailure(context.stage) { () throws(SystemError) in try BufferedSpill(context.calls) }
  }

  // MARK: Writing

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    if name.equals("si") {
      isInString = true
      current.removeAll()
    } else if isInString {
      current.start(name, attributes)
    }
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {
    let name = name.localName
    guard isInString else { return }
    current.end(name)
    if name.equals("si") {
      isInString = false
      try endString()
    }
  }

  func text(_ bytes: Span<UInt8>) {
    if isInString { current.add(bytes) }
  }

  func unknownEntity() { current.noteUnknownEntity() }

  private func endString() throws(Failure) {
    let text: ContiguousArray<UInt8> = current.hasUnknownEntity ? [0xFF] : current.unescaped
    bytes += UInt64(text.count)
    count += 1
    var end: ContiguousArray<UInt8> = []
    for shift in 0..<Self.offsetBytes { end.append(UInt8(truncatingIfNeeded: bytes >> (8 * shift))) }
    context.meter.bytesSpilled.add(text.count + end.count)
    try asFailure(context.stage) { () throws(SystemError) in
      try texts.append(text.span)
      try offsets.append(end.span)
    }
  }

  // MARK: Reading

  /// Ends writing.
  func finish() throws(Failure) {
    try asFailure(context.stage) { () throws(SystemError) in
      try texts.flush()
      try offsets.flush()
    }
    textWindow = Self.window(texts.file, context)
    offsetWindow = Self.window(offsets.file, context)
  }

  private static func window(_ file: borrowing TemporaryFile, _ context: StageContext) -> FileWindow {
    FileWindow(
      file.descriptor, size: UInt64(file.size), capacity: windowBytes, readAhead: readAheadBytes,
      calls: context.calls)
  }

  /// Appends the first `limit` bytes of the string with this index; returns false if there is none.
  func append(_ index: UInt64, to result: inout ContiguousArray<UInt8>, limit: Int) throws(Failure) -> Bool {
    guard index < count, var offsetWindow = offsetWindow.take(), var textWindow = textWindow.take() else {
      return false
    }
    do throws(Errno) {
      // The end of the string before it is its start.
      let first = index == 0 ? 0 : (index - 1) * Self.offsetBytes
      let isLoaded = try offsetWindow.load(first, Int((index + 1) * Self.offsetBytes - first))
      var start = index == 0 || !isLoaded ? 0 : offsetWindow.u64(first)
      let end = isLoaded ? min(offsetWindow.u64(index * Self.offsetBytes), start + UInt64(limit)) : 0
      while start < end {
        let piece = Int(min(end - start, UInt64(Self.windowBytes)))
        guard try textWindow.load(start, piece) else { break }
        result += textWindow.bytes(start, piece)
        start += UInt64(piece)
      }
    } catch {
      throw Failure(context.stage, SystemError(.readSpill, texts.file.directory, error))
    }
    self.offsetWindow = consume offsetWindow
    self.textWindow = consume textWindow
    return true
  }
}
