// Reads a zip archive's members, in directory order, as one stream of bytes.
//
// The directory is read twice: first, everything that can be checked without unpacking is checked, including members
// that are not selected, so that a bad archive is refused before anything is output. Then the selected members are
// unpacked.

import Records
import SystemIO
import SystemPackage

struct ZipReader: ~Copyable {
  /// The archive's file: its descriptor and size, and the operation and path for errors.
  struct ArchiveFile {
    var descriptor: FileDescriptor
    var size: UInt64
    var operation: SystemError.Operation
    var path: String

    func failure(_ error: ZipError) -> Failure { .zip(error, operation, path) }

    func reading<Result: ~Copyable>(_ body: () throws(ZipError) -> Result) throws(Failure) -> Result {
      try throwing(failure, body)
    }
  }

  private let context: StageContext
  private let source: ArchiveFile
  private var directory: CentralDirectory
  private var headers: FileWindow

  init(_ source: ArchiveFile, context: StageContext) throws(Failure) {
    // Everything that can fail comes before the first property is set.
    let found = try source.reading { () throws(ZipError) in
      try CentralDirectory(.zipDirectory(source.descriptor, size: source.size, calls: context.calls))
    }
    self.source = source
    self.context = context
    directory = found
    headers = .zipHeaders(source.descriptor, size: source.size, calls: context.calls)
  }

  /// Passes the selected entries to `show`, and checks the archive. Without patterns, these are all entries.
  mutating func list(_ patterns: [String], _ show: (ArchiveEntry) throws(Failure) -> Void) throws(Failure) {
    var selection = MemberSelection(patterns)
    try checkMembers { (entry) throws(Failure) in
      let entry = entry.summary
      if patterns.isEmpty || !entry.isDirectory && selection.contains(entry.name) { try show(entry) }
    }
    try selection.check()
  }

  /// Unpacks the selected members. `progress` is called with the number of the file's bytes processed so far.
  mutating func unpack(
    _ options: UnzipOptions, into output: inout UnpackedOutput, progress: (UInt64) -> Void
  ) throws(Failure) {
    try source.reading { () throws(ZipError) in try ZipMember.load() }
    let password = try options.passwordFile.map { (path) throws(Failure) in
      try Password.read(path, context)
    }
    let isExceptions = try exceptions(options)
    let isLeftOut: (String) -> Bool = isExceptions.areAll ? { _ in false } : isExceptions.contains
    let count = try check(options, isLeftOut, hasPassword: password != nil, output)
    var selection = MemberSelection(options.entries)
    let source = source
    directory.rewind()
    let limit = directory.end.directoryStart
    var done: UInt64 = 0
    while let entry = try source.reading({ () throws(ZipError) in try directory.next() }) {
      guard !entry.summary.isDirectory, selection.contains(entry.name) else { continue }
      let name = entry.summary.name
      let part =
        isExceptions.contains(name)
        ? .exceptions(name, isRead: isExceptions.areAll) : UnpackedPart.member(name)
      if isLeftOut(name) {
        options.observe?(part)
        continue
      }
      let location = try source.reading { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      let reader = try source.reading { () throws(ZipError) in
        try MemberReader(source.descriptor, entry, location, password: password)
      }
      options.observe?(part)
      try output.beginMember()
      try unpackMember(reader, options, count, &output) { part in
        progress(done + UInt64(Double(location.end - location.start) * part))
      }
      done += location.end - location.start
    }
  }

  /// Visits all entries, and checks their local headers and overlaps.
  private mutating func checkMembers(_ visit: (ZipEntry) throws(Failure) -> Void) throws(Failure) {
    var layout = ZipLayout()
    let source = source
    directory.rewind()
    let limit = directory.end.directoryStart
    while let entry = try source.reading({ () throws(ZipError) in try directory.next() }) {
      let location = try source.reading { () throws(ZipError) in
        try MemberLocation.find(entry, limit: limit, in: &headers)
      }
      switch layout.claim(location.start, location.end) {
      case .claimed: break
      case .overlaps:
        throw source.failure(.damagedMember(name: entry.name, .overlapsMember))
      case .tooManyRanges:
        throw .tooScattered
      }
      try visit(entry)
    }
  }

  /// Which members have numbers that are not blocked, by their names, and whether all have; none if some were chosen.
  private mutating func exceptions(
    _ options: UnzipOptions
  ) throws(Failure) -> (contains: (_ name: String) -> Bool, areAll: Bool) {
    guard options.entries.isEmpty, let isExceptions = options.isExceptions else {
      return ({ _ in false }, false)
    }
    var areAll = true
    try checkMembers { (entry: ZipEntry) throws(Failure) -> Void in
      let name = entry.summary.name
      if entry.size > 0, !MemberSelection.isFromMac(name), !isExceptions(name) { areAll = false }
    }
    return (isExceptions, areAll)
  }

  /// Throws if a selected member can't be unpacked, or would be too large. Returns the number of selected members that are
  /// not empty.
  private mutating func check(
    _ options: UnzipOptions, _ isLeftOut: (_ name: String) -> Bool, hasPassword: Bool,
    _ output: borrowing UnpackedOutput
  ) throws(Failure) -> Int {
    var selection = MemberSelection(options.entries)
    var total: UInt64 = 0
    var count = 0
    let source = source
    try checkMembers { (entry) throws(Failure) in
      guard !entry.summary.isDirectory, selection.contains(entry.name), !isLeftOut(entry.summary.name)
      else { return }
      if let problem = ZipMember.problem(with: entry) { throw source.failure(problem) }
      if entry.isEncrypted, !hasPassword { throw .encrypted(name: entry.name) }
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: entry.size)
      if entry.size > 0 { count += 1 }
      let (sum, overflows) = total.addingReportingOverflow(entry.size)
      total = overflows ? .max : sum
    }
    try selection.check()
    // The sizes of nested streams are only known after unpacking them.
    if !options.unpacksNested {
      try output.checkRatio(bytesIn: source.size, bytesOut: total)
      try output.checkTotal(total)
    }
    return count
  }

  /// Unpacks a member, one of `members`; `progress` is called with the share that is done.
  private func unpackMember(
    _ opened: consuming MemberReader, _ options: UnzipOptions, _ members: Int, _ output: inout UnpackedOutput,
    progress: (Double) -> Void
  ) throws(Failure) {
    var reader = opened
    let entry = reader.entry
    var nested: NestedOutput?
    if options.unpacksNested { nested = NestedOutput(entry) }
    while true {
      let count: Int
      if var inner = nested.take() {
        count = try inner.fill(&output) { (chunk) throws(Failure) in
          try source.reading { () throws(ZipError) in try reader.read(into: &chunk) }
        }
        nested = consume inner
      } else {
        count = try output.fill { (chunk) throws(Failure) in
          try source.reading { () throws(ZipError) in try reader.read(into: &chunk) }
        }
      }
      // Ratios of the member and of the whole file.
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: reader.unpacked)
      try output.checkRatio(bytesIn: entry.compressedSize, bytesOut: output.memberBytes)
      try output.checkRatio(bytesIn: source.size, bytesOut: output.total)
      if members > 1, let format = output.wholeFormat {
        throw .severalMembers(format, name: entry.name, count: members)
      }
      guard count > 0 else { return }
      progress(Double(reader.unpacked) / Double(max(entry.size, 1)))
    }
  }
}

/// Selects members: those whose names match one of the patterns, or all except the files that a Mac adds to archives. Each
/// pattern must match a member.
struct MemberSelection {
  private let patterns: [String]
  private var isMatched: [Bool]
  private var names: [String] = []
  private var count = 0

  init(_ patterns: [String]) {
    self.patterns = patterns
    isMatched = [Bool](repeating: false, count: patterns.count)
  }

  mutating func contains(_ name: String) -> Bool {
    count += 1
    if names.count < UnzipLimits.suggestedNamesMax { names.append(name) }
    var isSelected = patterns.isEmpty && !Self.isFromMac(name)
    for (index, pattern) in patterns.enumerated() where FilePattern.matches(name, pattern) {
      isMatched[index] = true
      isSelected = true
    }
    return isSelected
  }

  /// Whether a name is one of the files that macOS adds: data about files and folders for the Finder, not lists.
  ///
  /// Sources: Apple's AppleSingle/AppleDouble formats (`._NAME`, which Archive Utility puts into `__MACOSX`); the Finder's
  /// `.DS_Store`.
  static func isFromMac(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return parts.dropLast().contains("__MACOSX") || parts.last == ".DS_Store"
  }

  /// Call after all members: throws if a pattern matched none.
  func check() throws(Failure) {
    let unmatched = zip(patterns, isMatched).filter { !$0.1 }.map(\.0)
    if !unmatched.isEmpty { throw .noSuchEntry(patterns: unmatched, available: names, count: count) }
  }
}

/// The ranges of an archive that members occupy, for detecting overlapping members before anything is unpacked. In a zip
/// bomb, overlapping members make a small archive unpack to an enormous size (D. Fifield, "A better zip bomb", 2019).
///
/// The occupied ranges of a file in ascending order. Adjacent ranges are joined, so consecutive members form one range.
struct ZipLayout {
  private var starts: [UInt64] = []
  private var ends: [UInt64] = []

  enum ClaimResult { case claimed, overlaps, tooManyRanges }

  /// Adds a range.
  ///
  /// - Complexity: O(1) for ranges in ascending order; else O(n) for n ranges, at most
  ///   ``UnzipLimits/occupiedRangesMax``.
  mutating func claim(_ start: UInt64, _ end: UInt64) -> ClaimResult {
    // The first range that ends after the start.
    var low = 0
    var high = ends.count
    if let last = ends.last, start >= last { low = high }
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > start { high = middle } else { low = middle + 1 }
    }
    if low < starts.count, starts[low] < end { return .overlaps }
    let joinsBefore = low > 0 && ends[low - 1] == start
    let joinsAfter = low < starts.count && starts[low] == end
    switch (joinsBefore, joinsAfter) {
    case (true, true):
      ends[low - 1] = ends[low]
      starts.remove(at: low)
      ends.remove(at: low)
    case (true, false): ends[low - 1] = end
    case (false, true): starts[low] = start
    case (false, false):
      guard starts.count < UnzipLimits.occupiedRangesMax else { return .tooManyRanges }
      starts.insert(start, at: low)
      ends.insert(end, at: low)
    }
    return .claimed
  }
}

enum Password {
  /// The first line of a file without its line feed, followed by a zero byte.
  static func read(_ path: String, _ context: StageContext) throws(Failure) -> [UInt8] {
    let calls = context.calls
    func invalid(_ reason: String) -> Failure { .badPasswordFile(path: path, reason) }
    let bytes = try asFailure(.unzip) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: UnzipOptions.passwordBytesMax + 2, calls: calls)
    }
    var password = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    if password.last == UInt8(ascii: "\r") { password.removeLast() }
    guard !password.isEmpty else { throw invalid("its first line is empty") }
    guard password.count <= UnzipOptions.passwordBytesMax else {
      throw invalid(
        "its first line is longer than \(Figures.grouped(UInt64(UnzipOptions.passwordBytesMax))) bytes")
    }
    guard !password.contains(0) else { throw invalid("its first line contains a zero byte") }
    return password + [0]
  }
}
