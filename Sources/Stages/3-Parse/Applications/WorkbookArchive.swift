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
  /// The processor time for parsing so far.
  private var seconds = 0.0

  /// The size of the pieces in which parts are parsed, in bytes.
  private static let pieceBytes = 64 * 1024

  init(_ spool: consuming InputSpool, input: String, _ context: StageContext) throws(Failure) {
    let size = UInt64(spool.file.size)
    // Everything that can fail comes before the first property is set.
    let descriptor = spool.file.descriptor
    let spill = spool.file.directory
    let found = try throwing({ Self.failure($0, spill, input, context) }) { () throws(ZipError) in
      try ZipMember.load()
      return try CentralDirectory(.zipDirectory(descriptor, size: size, calls: context.calls))
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
    return try throwing(failure) { () throws(ZipError) -> ZipEntry? in
      directory.rewind()
      while let entry = try directory.next() {
        if Self.plain(entry.name) == wanted { return entry }
      }
      return nil
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
    if part.size > WorkbookLimits.ratioFreeBytes, part.size / WorkbookLimits.ratioMax > part.compressedSize {
      throw .parse(
        "part-expands-too-much",
        "\(InputName.quoted(input)): '\(PrintableText.line(part.name))' unpacks to more than "
          + "\(WorkbookLimits.ratioMax) times its size",
        hint: "if the workbook is valid, save it as CSV")
    }
    guard !part.isEncrypted else { throw .unsupportedDocument(.encrypted, input: input) }
    if let problem = ZipMember.problem(with: part) { throw failure(problem) }
    var reader = try throwing(failure) { () throws(ZipError) in try open(part) }
    let parser = try ExpatParser(
      "\(InputName.plain(input)): '\(PrintableText.line(part.name))'", handler: handler)
    var chunk = ByteChunk(capacity: Self.pieceBytes)
    while true {
      _ = try throwing(failure) { () throws(ZipError) in try reader.read(into: &chunk) }
      let isLast = chunk.isEmpty
      let start = ProcessorClock.threadSeconds()
      try parser.parse(chunk.span, isLast: isLast, into: &rows)
      seconds += ProcessorClock.threadSeconds() - start
      guard seconds <= WorkbookLimits.secondsMax else {
        throw .parse(
          "workbook-too-slow",
          "reading \(InputName.quoted(input)) needs more than \(Int(WorkbookLimits.secondsMax)) seconds of "
            + "processor time", hint: "if the workbook is valid, save it as CSV")
      }
      if isLast { return }
      chunk.removeAll()
    }
  }

  private func open(_ part: ZipEntry) throws(ZipError) -> MemberReader {
    let location = try MemberLocation.find(part, limit: directory.end.directoryStart, in: &headers)
    return try MemberReader(spool.file.descriptor, part, location, password: nil)
  }

  /// Whether a sheet's part has cells with values, as far as its first bytes show; false for a damaged part, which is not
  /// needed.
  func hasValues(_ part: ZipEntry) -> Bool {
    guard !part.isEncrypted, ZipMember.problem(with: part) == nil else { return false }
    var chunk = ByteChunk(capacity: Self.pieceBytes)
    do throws(ZipError) {
      var reader = try open(part)
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
