// A zip archive's members, in the order of its directory, as one stream of bytes.
//
// The directory is gone through twice: first everything that can be wrong without unpacking is looked for, in members
// that aren't wanted too, so that a bad archive is refused before anything comes out; then the wanted members are
// unpacked.
//
// Not for: paths. A member's name is matched and shown, and nothing else.

import PipeStage
import SystemIO
import SystemPackage

/// Reads members of one archive.
struct ZipReader: ~Copyable {
  /// The archive's file: where it is open, how large it is, and what to call it when it can't be read.
  struct Source {
    var descriptor: FileDescriptor
    var size: UInt64
    var reading: SystemError.Operation
    var path: String
  }

  private let context: StageContext
  private let source: Source
  private let calling: Caller
  private var directory: ZipDirectory
  private var headers: FileWindow

  /// Finds the archive's directory.
  init(_ source: Source, context: StageContext) throws(StageError) {
    let calling = Caller(source: source, context: context)
    // What can fail comes before the first property.
    let found = try calling { () throws(ZipError) in
      try ZipDirectory(
        FileWindow(
          source.descriptor, size: source.size, ahead: UnzipLimits.directoryBytesAhead, calls: context.calls))
    }
    self.source = source
    self.context = context
    self.calling = calling
    directory = found
    headers = FileWindow(
      source.descriptor, size: source.size, ahead: UnzipLimits.headerBytesAhead, calls: context.calls)
  }

  /// Gives the wanted entries to `show`, and checks the archive. Without patterns these are all, directories too.
  mutating func list(
    _ patterns: [String], _ show: (ArchiveEntry) throws(StageError) -> Void
  ) throws(StageError) {
    var wanted = WantedMembers(patterns)
    try survey { (entry) throws(StageError) in
      let entry = entry.shown
      if entry.isDirectory && patterns.isEmpty || !entry.isDirectory && wanted.contains(entry.name) {
        try show(entry)
      }
    }
    try wanted.check(context.stage)
  }

  /// Unpacks the wanted members. `progress` gets how many of the file's bytes were gone through so far.
  mutating func unpack(
    _ options: UnzipOptions, into output: inout UnpackedOutput, progress: (UInt64) -> Void
  ) throws(StageError) {
    try calling { () throws(ZipError) in try ZipMember.load() }
    let password = try options.passwordFile.map { (path) throws(StageError) in
      try Password.read(path, context)
    }
    try check(options, hasPassword: password != nil, output)
    var wanted = WantedMembers(options.entries)
    let calling = calling
    directory.rewind()
    let limit = directory.end.directoryStart
    var done: UInt64 = 0
    while let entry = try calling({ () throws(ZipError) in try directory.next() }) {
      guard !entry.shown.isDirectory, wanted.contains(entry.name) else { continue }
      let place = try calling { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      let reader = try calling { () throws(ZipError) in
        try MemberReader(source.descriptor, entry, place, password: password)
      }
      output.beginMember()
      try unpackMember(reader, options, &output) { part in
        progress(done + UInt64(Double(place.end - place.start) * part))
      }
      done += place.end - place.start
    }
  }
}

// MARK: - Looking at all of it first

extension ZipReader {
  /// Goes through the directory and all members' headers.
  private mutating func survey(
    _ see: (ZipEntry) throws(StageError) -> Void
  ) throws(StageError) {
    var layout = ZipLayout()
    let calling = calling
    directory.rewind()
    let limit = directory.end.directoryStart
    while let entry = try calling({ () throws(ZipError) in try directory.next() }) {
      let place = try calling { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      switch layout.take(place.start, place.end) {
      case .taken: break
      case .overlaps:
        throw calling.failure(.failure(.damagedMember(name: entry.name, .sharesBytes)))
      case .tooManyPieces:
        throw calling.failure(.failure(.tooScattered(limit: UnzipLimits.piecesMax)))
      }
      try see(entry)
    }
  }

  /// Throws if anything can't be unpacked, or would be too much.
  private mutating func check(
    _ options: UnzipOptions, hasPassword: Bool, _ output: borrowing UnpackedOutput
  ) throws(StageError) {
    var wanted = WantedMembers(options.entries)
    var total: UInt64 = 0
    let stage = context.stage
    try survey { (entry) throws(StageError) in
      guard !entry.shown.isDirectory, wanted.contains(entry.name) else { return }
      if let problem = ZipMember.problem(with: entry) { throw StageError(stage, problem) }
      if entry.isEncrypted, !hasPassword {
        throw StageError(stage, UnzipError.encrypted(name: entry.name))
      }
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: entry.size)
      let (sum, isTooMuch) = total.addingReportingOverflow(entry.size)
      total = isTooMuch ? .max : sum
    }
    try wanted.check(stage)
    // What is in members that are streams shows only when they are unpacked.
    if !options.unpacksNested {
      try output.checkRatio(bytesIn: source.size, bytesOut: total)
      try output.checkTotal(total)
    }
  }
}

// MARK: - Unpacking

extension ZipReader {
  /// Unpacks a member; `progress` gets the part of it that is done.
  private func unpackMember(
    _ opened: consuming MemberReader, _ options: UnzipOptions, _ output: inout UnpackedOutput,
    progress: (Double) -> Void
  ) throws(StageError) {
    var reader = opened
    let entry = reader.entry
    var nested: NestedOutput?
    if options.unpacksNested { nested = NestedOutput(entry, stage: context.stage) }
    while true {
      let count: Int
      if var inner = nested.take() {
        count = try inner.fill(&output) { (chunk) throws(StageError) in
          try calling { () throws(ZipError) in try reader.read(into: &chunk) }
        }
        nested = consume inner
      } else {
        count = try output.fill { (chunk) throws(StageError) in
          try calling { () throws(ZipError) in try reader.read(into: &chunk) }
        }
      }
      // Of the member, and of the whole file too.
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: reader.unpacked)
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: output.memberBytes)
      try output.checkRatio(bytesIn: source.size, bytesOut: output.total)
      guard count > 0 else { return }
      progress(Double(reader.unpacked) / Double(max(entry.size, 1)))
    }
  }
}

/// Who reads which file: what is needed to say what went wrong.
private struct Caller {
  var source: ZipReader.Source
  var context: StageContext

  func callAsFunction<Result: ~Copyable>(
    _ body: () throws(ZipError) -> Result
  ) throws(StageError) -> Result {
    do throws(ZipError) {
      return try body()
    } catch {
      throw failure(error)
    }
  }

  func failure(_ trouble: ZipError) -> StageError {
    switch trouble {
    case .failure(let failure): StageError(context.stage, failure)
    case .unreadable(let code): StageError(context.stage, SystemError(source.reading, source.path, code))
    }
  }
}
