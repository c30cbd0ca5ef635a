// The zip archive of a workbook: finds parts by their names, parses them as XML, and copies all but one of them.

import BasicContainers
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

  // MARK: Copies

  /// Writes a copy of the archive in which a part has other contents. All other bytes stay as they are.
  ///
  /// `edit` receives the bytes of the part, piece by piece, and writes the contents. It returns how many bytes it has used;
  /// the rest is passed again with the next ones.
  func copy(
    _ part: ZipEntry, to sink: any ByteSink,
    _ edit: (Span<UInt8>, _ isEnd: Bool, inout PartWriter) throws(Failure) -> Int
  ) throws(Failure) {
    let directoryStart = directory.end.directoryStart
    let location = try throwing(failure) { () throws(ZipError) in
      try MemberLocation.find(part, limit: directoryStart, in: &headers)
    }
    guard var writer = PartWriter(part, sink) else { throw failure(.outOfMemory) }
    try copy(0..<location.start, to: &writer)
    try writer.begin()
    var reader = try throwing(failure) { () throws(ZipError) in try open(part) }
    var piece = ByteChunk(capacity: Self.pieceBytes)
    var isEnd = false
    while !isEnd {
      isEnd = try throwing(failure) { () throws(ZipError) in try reader.read(into: &piece) == 0 }
      let used = try edit(piece.span, isEnd, &writer)
      piece.bytes.removeSubrange(0..<used)
    }
    try writer.finish()
    let shift = Int64(writer.position) - Int64(location.end)
    try copy(location.end..<directoryStart, to: &writer)
    try copyDirectory(part, shift, to: &writer)
    try writer.flush()
  }

  private func copy(_ range: Range<UInt64>, to writer: inout PartWriter) throws(Failure) {
    var at = range.lowerBound
    var piece = ByteChunk(capacity: Self.pieceBytes)
    while at < range.upperBound {
      piece.removeAll()
      let limit = Int(min(range.upperBound - at, UInt64(Self.pieceBytes)))
      let count = try asFailure(context.stage) { () throws(SystemError) in
        try spool.file.read(into: &piece, at: Int64(at), limit: limit)
      }
      guard count > 0 else { throw failure(.unreadable(.ioError)) }
      try writer.put(piece.span)
      at += UInt64(count)
    }
  }

  /// Copies the directory and its end record (APPNOTE 4.3.12, 4.3.16), with the sizes of the part that was written, and
  /// `shift` added to the places after it.
  private func copyDirectory(
    _ part: ZipEntry, _ shift: Int64, to writer: inout PartWriter
  ) throws(Failure) {
    func shifted(_ place: UInt64) throws(Failure) -> UInt32 {
      guard let place = Int64(exactly: place), let shifted = UInt32(exactly: place &+ shift), shifted < .max
      else { throw .largeArchive(input: input) }
      return shifted
    }
    directory.rewind()
    while let entry = try throwing(failure, { () throws(ZipError) in try directory.next() }) {
      var bytes = directory.entryBytes
      if entry.offset == part.offset {
        guard writer.replaceSizes(in: &bytes) else { throw .largeArchive(input: input) }
      } else if entry.offset > part.offset {
        bytes.replace(at: 42, try shifted(entry.offset))
      }
      try writer.put(bytes.span)
    }
    let end = directory.end.directoryEnd
    let count = min(UInt64(spool.file.size) - end, UInt64(EndOfCentralDirectory.searchedBytes))
    let isLoaded = try throwing(failure) { () throws(ZipError) in try headers.loadRecord(end, Int(count)) }
    guard isLoaded, headers.u32(end) == 0x0605_4B50 else { throw .largeArchive(input: input) }
    var bytes = headers.bytes(end, Int(count))
    bytes.replace(at: 16, try shifted(directory.end.directoryStart))
    try writer.put(bytes.span)
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

/// Writes pieces of an archive to a sink, and the contents of one part, compressed.
///
/// The sizes of the part follow its data (APPNOTE 4.3.9), because they are not known before it.
struct PartWriter: ~Copyable {
  private let part: ZipEntry
  private let sink: any ByteSink
  private var chunk = ByteChunk()
  /// The number of bytes that the sink has received.
  private var flushedBytes: UInt64 = 0
  private var compressor: Compressor
  private var checksum = CRC32()
  /// The size of the part's contents, and where its data starts and ends.
  private var size: UInt64 = 0
  private var dataStart: UInt64 = 0
  private var dataEnd: UInt64 = 0

  /// The version of the format that members with data descriptors need (APPNOTE 4.4.3).
  private static let version: UInt16 = 20

  /// Makes a writer; nil if there is not enough memory.
  init?(_ part: ZipEntry, _ sink: any ByteSink) {
    guard let made = Compressor() else { return nil }
    compressor = made
    self.part = part
    self.sink = sink
  }

  /// The number of bytes so far.
  var position: UInt64 { flushedBytes + UInt64(chunk.count) }

  private var flags: UInt16 { ZipEntry.dataDescriptorFlag | part.flags & ZipEntry.utf8Flag }

  /// Writes bytes as they are.
  mutating func put(_ bytes: Span<UInt8>) throws(Failure) {
    var used = 0
    while used < bytes.count {
      if chunk.freeCapacity == 0 { try flush() }
      let end = min(bytes.count, used + chunk.freeCapacity)
      chunk.append(bytes.extracting(used..<end))
      used = end
    }
  }

  /// Writes the header of the part (APPNOTE 4.3.7).
  mutating func begin() throws(Failure) {
    var header: [UInt8] = []
    header.add(0x0403_4B50 as UInt32)
    for field in [Self.version, flags, ZipEntry.deflated, part.time, part.date] { header.add(field) }
    // The checksum and both sizes.
    for _ in 0..<3 { header.add(0 as UInt32) }
    header.add(UInt16(part.rawName.count))
    header.add(0 as UInt16)
    header += part.rawName
    try put(header.span)
    dataStart = position
  }

  /// Adds contents of the part.
  mutating func add(_ bytes: Span<UInt8>) throws(Failure) {
    checksum.add(bytes)
    size += UInt64(bytes.count)
    var used = 0
    while used < bytes.count {
      used += compressor.compress(bytes.extracting(used..<bytes.count), isLast: false, into: &chunk).consumed
      if chunk.freeCapacity == 0 { try flush() }
    }
  }

  /// Ends the part.
  mutating func finish() throws(Failure) {
    while !compressor.compress(Span(), isLast: true, into: &chunk).isComplete { try flush() }
    dataEnd = position
    var descriptor: [UInt8] = []
    for field in [0x0807_4B50, checksum.value, UInt32(clamping: dataEnd - dataStart), UInt32(clamping: size)]
    {
      descriptor.add(field)
    }
    try put(descriptor.span)
  }

  /// Replaces what the part's entry in the directory contains about its data; returns false for sizes that need the zip64
  /// format.
  func replaceSizes(in entry: inout [UInt8]) -> Bool {
    guard let packed = UInt32(exactly: dataEnd - dataStart), let size = UInt32(exactly: size),
      max(packed, size) < .max
    else { return false }
    entry.replace(at: 6, Self.version)
    entry.replace(at: 8, flags)
    entry.replace(at: 10, ZipEntry.deflated)
    entry.replace(at: 16, checksum.value)
    entry.replace(at: 20, packed)
    entry.replace(at: 24, size)
    return true
  }

  mutating func flush() throws(Failure) {
    flushedBytes += UInt64(chunk.count)
    if !chunk.isEmpty { try sink.receive(&chunk) }
    chunk.removeAll()
  }
}

extension [UInt8] {
  fileprivate mutating func replace<Value: FixedWidthInteger & UnsignedInteger>(at index: Int, _ value: Value)
  {
    var bytes: [UInt8] = []
    bytes.add(value)
    replaceSubrange(index..<index + bytes.count, with: bytes)
  }
}

extension Failure {
  fileprivate static func largeArchive(input: String) -> Failure {
    parse(
      "large-archive",
      "cells can't be added to \(InputName.quoted(input)): it has the zip64 format, or would be larger than "
        + "4 GiB",
      hint: "save it as CSV")
  }
}
