// Reads a zip archive's members, in directory order, as one stream of bytes.
//
// The directory is read twice: first, everything that can be checked without unpacking is checked, including members
// that are not selected, so that a bad archive is refused before anything is output. Then the selected members are
// unpacked.
//
// Not for: paths. A member's name is only matched and displayed.

import Records
import SystemIO
import SystemPackage

/// Reads members of one archive.
struct ZipReader: ~Copyable {
  /// The archive's file: its descriptor and size, and the operation and path for errors.
  struct ArchiveFile {
    var descriptor: FileDescriptor
    var size: UInt64
    var operation: SystemError.Operation
    var path: String
  }

  private let context: StageContext
  private let source: ArchiveFile
  private let mapErrors: ZipErrorMapper
  private var directory: CentralDirectory
  private var headers: FileWindow

  /// Locates the archive's directory.
  init(_ source: ArchiveFile, context: StageContext) throws(Failure) {
    let mapErrors = ZipErrorMapper(source: source, context: context)
    // Everything that can fail comes before the first property is set.
    let found = try mapErrors { () throws(ZipError) in
      try CentralDirectory(
        .zipDirectory(source.descriptor, size: source.size, calls: context.calls))
    }
    self.source = source
    self.context = context
    self.mapErrors = mapErrors
    directory = found
    headers = .zipHeaders(source.descriptor, size: source.size, calls: context.calls)
  }

  /// Passes the selected entries to `show`, and checks the archive. Without patterns, these are all entries.
  mutating func list(
    _ patterns: [String], _ show: (ArchiveEntry) throws(Failure) -> Void
  ) throws(Failure) {
    var selection = MemberSelection(patterns)
    try checkMembers { (entry) throws(Failure) in
      let entry = entry.summary
      if patterns.isEmpty || !entry.isDirectory && selection.contains(entry.name) {
        try show(entry)
      }
    }
    try selection.check(context.stage)
  }

  /// Unpacks the selected members. `progress` is called with the number of the file's bytes processed so far.
  mutating func unpack(
    _ options: UnzipOptions, into output: inout UnpackedOutput, progress: (UInt64) -> Void
  ) throws(Failure) {
    try mapErrors { () throws(ZipError) in try ZipMember.load() }
    let password = try options.passwordFile.map { (path) throws(Failure) in
      try Password.read(path, context)
    }
    let count = try check(options, hasPassword: password != nil, output)
    var selection = MemberSelection(options.entries)
    let mapErrors = mapErrors
    directory.rewind()
    let limit = directory.end.directoryStart
    var done: UInt64 = 0
    while let entry = try mapErrors({ () throws(ZipError) in try directory.next() }) {
      guard !entry.summary.isDirectory, selection.contains(entry.name) else { continue }
      let location = try mapErrors { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      let reader = try mapErrors { () throws(ZipError) in
        try MemberReader(source.descriptor, entry, location, password: password)
      }
      options.observe?(.member(entry.summary.name))
      output.beginMember()
      try unpackMember(reader, options, count, &output) { part in
        progress(done + UInt64(Double(location.end - location.start) * part))
      }
      done += location.end - location.start
    }
  }
}

// MARK: - Checks before unpacking

extension ZipReader {
  /// Visits all entries, and checks their local headers and overlaps.
  private mutating func checkMembers(
    _ visit: (ZipEntry) throws(Failure) -> Void
  ) throws(Failure) {
    var layout = ZipLayout()
    let mapErrors = mapErrors
    directory.rewind()
    let limit = directory.end.directoryStart
    while let entry = try mapErrors({ () throws(ZipError) in try directory.next() }) {
      let location = try mapErrors { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      switch layout.claim(location.start, location.end) {
      case .claimed: break
      case .overlaps:
        throw mapErrors.stageError(.damagedMember(name: entry.name, .overlapsMember))
      case .tooManyRanges:
        throw Failure(
          context.stage, UnzipError.tooScattered(limit: UnzipLimits.occupiedRangesMax))
      }
      try visit(entry)
    }
  }

  /// Throws if a selected member can't be unpacked, or would be too large. Returns the number of selected members that are
  /// not empty.
  private mutating func check(
    _ options: UnzipOptions, hasPassword: Bool, _ output: borrowing UnpackedOutput
  ) throws(Failure) -> Int {
    var selection = MemberSelection(options.entries)
    var total: UInt64 = 0
    var count = 0
    let (stage, mapErrors) = (context.stage, mapErrors)
    try checkMembers { (entry) throws(Failure) in
      guard !entry.summary.isDirectory, selection.contains(entry.name) else { return }
      if let problem = ZipMember.problem(with: entry) { throw mapErrors.stageError(problem) }
      if entry.isEncrypted, !hasPassword {
        throw Failure(stage, UnzipError.encrypted(name: entry.name))
      }
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: entry.size)
      if entry.size > 0 { count += 1 }
      let (sum, overflows) = total.addingReportingOverflow(entry.size)
      total = overflows ? .max : sum
    }
    try selection.check(stage)
    // The sizes of nested streams are only known after unpacking them.
    if !options.unpacksNested {
      try output.checkRatio(bytesIn: source.size, bytesOut: total)
      try output.checkTotal(total)
    }
    return count
  }
}

// MARK: - Unpacking

extension ZipReader {
  /// Unpacks a member, one of `members`; `progress` is called with the share that is done.
  private func unpackMember(
    _ opened: consuming MemberReader, _ options: UnzipOptions, _ members: Int, _ output: inout UnpackedOutput,
    progress: (Double) -> Void
  ) throws(Failure) {
    var reader = opened
    let entry = reader.entry
    var nested: NestedOutput?
    if options.unpacksNested { nested = NestedOutput(entry, stage: context.stage) }
    while true {
      let count: Int
      if var inner = nested.take() {
        count = try inner.fill(&output) { (chunk) throws(Failure) in
          try mapErrors { () throws(ZipError) in try reader.read(into: &chunk) }
        }
        nested = consume inner
      } else {
        count = try output.fill { (chunk) throws(Failure) in
          try mapErrors { () throws(ZipError) in try reader.read(into: &chunk) }
        }
      }
      // Ratios of the member and of the whole file.
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: reader.unpacked)
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: output.memberBytes)
      try output.checkRatio(bytesIn: source.size, bytesOut: output.total)
      if members > 1, let format = output.wholeFormat {
        throw Failure(
          context.stage, UnzipError.severalMembers(format, name: entry.name, count: members))
      }
      guard count > 0 else { return }
      progress(Double(reader.unpacked) / Double(max(entry.size, 1)))
    }
  }
}

/// Maps internal errors to stage errors, with the file and operation.
private struct ZipErrorMapper {
  var source: ZipReader.ArchiveFile
  var context: StageContext

  func callAsFunction<Result: ~Copyable>(
    _ body: () throws(ZipError) -> Result
  ) throws(Failure) -> Result {
    do throws(ZipError) {
      return try body()
    } catch {
      throw stageError(error)
    }
  }

  func stageError(_ error: ZipError) -> Failure {
    if let unzipError = UnzipError(error) { return Failure(context.stage, unzipError) }
    switch error {
    case .unreadable(let code):
      return Failure(context.stage, SystemError(source.operation, source.path, code))
    case .library(let systemError): return Failure(context.stage, systemError)
    default: preconditionFailure("every other error is one of the archive")
    }
  }
}
