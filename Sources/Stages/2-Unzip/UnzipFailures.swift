// Why unpacking fails: the sentences, and the classes that decide the exit status. A file that can't be opened, spooled or
// read is a SystemError instead.

import Records
import SystemIO

extension Failure {
  private static func damaged(_ code: String, _ text: String, hint: String? = nil) -> Failure {
    Failure(.unzip, .badData, code, text, hint: hint)
  }

  private static func quoted(_ name: String) -> String { PrintableText.quoted(Array(name.utf8)) }

  // MARK: - The input

  static func damagedSignature(_ format: CompressedFormat) -> Failure {
    damaged(
      "damaged-signature", "the input starts almost like a \(format.phrase): it is damaged",
      hint: "download it again")
  }

  /// The input, or a member that was to be unpacked, has a packed format that is not supported.
  static func unsupportedFormat(_ format: UnsupportedFormat, member: String?) -> Failure {
    damaged(
      "unsupported-format",
      "\(member.map { "member \(quoted($0))" } ?? "the input") is \(format.phrase), which cdpipe does not unpack",
      hint: format.hint(quotedMember: member.map(quoted)))
  }

  /// Members or a listing were requested.
  static var notAnArchive: Failure {
    damaged(
      "not-an-archive", "the input is not a zip archive and has no members",
      hint: "remove \(option: "entry") or --list: other input is unpacked, or passed on unchanged")
  }

  /// The other data is, for example, a program that unpacks the archive.
  static var archiveAfterOtherData: Failure {
    damaged(
      "archive-after-other-data", "the input ends with a zip archive, but starts with other data",
      hint: "unpack it with 'bsdtar -xOf FILE' or '7z x FILE', or remove the other data with 'zip -J FILE'")
  }

  // MARK: - Limits

  /// The output exceeds, or would exceed, `maxBytes`.
  static func tooLarge(limit: UInt64) -> Failure {
    damaged(
      "too-large", "the output exceeds \(Figures.byteLimit(limit))",
      hint: "allow more with \(option: "max-size", "SIZE")")
  }

  /// The output of a member or of the whole input exceeds, or would exceed, `maxRatio` times the input.
  static func expandsTooMuch(limit: Double, bytesIn: UInt64, bytesOut: UInt64) -> Failure {
    let sizes = "\(Figures.bytes(bytesIn)) unpack to \(Figures.bytes(bytesOut))"
    return damaged(
      "expands-too-much", "\(sizes), more than \(Figures.tenths(limit)) times as much",
      hint: "allow more with \(option: "max-ratio", "N")")
  }

  // MARK: - Streams

  private static func phrase(_ stream: CompressedStream) -> String {
    "the \(stream.format.phrase)" + (stream.member.map { " in member \(quoted($0))" } ?? "")
  }

  static func truncatedStream(_ stream: CompressedStream, atByte byte: UInt64) -> Failure {
    damaged("truncated-stream", "\(phrase(stream)) is truncated at byte \(byte)", hint: "download it again")
  }

  /// The text is the library's message.
  static func damagedStream(_ stream: CompressedStream, atByte byte: UInt64, text: String) -> Failure {
    damaged(
      "damaged-stream",
      "\(phrase(stream)) is damaged near byte \(byte)\(text.isEmpty ? "" : ": \(text)")")
  }

  static func trailingGarbage(_ stream: CompressedStream, atByte byte: UInt64) -> Failure {
    damaged("trailing-garbage", "\(phrase(stream)) has other data after its end, from byte \(byte)")
  }

  static func windowTooLarge(_ stream: CompressedStream) -> Failure {
    let command = stream.format.unlimitedCommand
    return damaged(
      "window-too-large",
      "\(phrase(stream)) needs more memory than \(Figures.bytes(UnzipLimits.windowBytesMax)) to unpack",
      hint: stream.member.map { "use cdpipe unzip --entry \(quoted($0)) ARCHIVE | \(command) | cdpipe parse" }
        ?? "use \(command) FILE | cdpipe parse")
  }

  static var noMemoryToUnzip: Failure { Failure(.unzip, .inputOutput, "out-of-memory", "out of memory") }

  // MARK: - Members

  /// A problem of an archive, whose file is read by this operation.
  static func zip(_ error: ZipError, _ operation: SystemError.Operation, _ path: String) -> Failure {
    switch error {
    case .libraryMissing(let name, let package): libraryMissing(name: name, package: package)
    case .library(let systemError): Failure(.unzip, systemError)
    case .unreadable(let code): Failure(.unzip, SystemError(operation, path, code))
    case .outOfMemory: noMemoryToUnzip
    case .damagedArchive(let reason):
      damaged(
        "damaged-archive", "the zip archive is damaged or truncated: \(reason.text)",
        hint: reason == .multipleDisks ? "use an archive that is a single file" : "download it again")
    case .damagedMember(let name, let reason):
      damaged("damaged-member", "member \(quoted(name)) is damaged: \(reason.text)")
    case .wrongChecksum(let name):
      damaged(
        "wrong-checksum", "member \(quoted(name)) is damaged: wrong checksum", hint: "discard its output")
    case .wrongSize(let name, let expected, let unpacked):
      damaged(
        "wrong-size",
        "member \(quoted(name)) is damaged: it unpacked to \(Figures.grouped(unpacked)) of "
          + "\(Figures.grouped(expected)) bytes")
    case .wrongPassword(let name):
      damaged("wrong-password", "wrong password for member \(quoted(name))")
    case .wrongPasswordOrDamaged(let name):
      // The formats verify only a few bits of a password (8 for traditional encryption, 16 for AES), so a wrong one may
      // be accepted at first.
      damaged(
        "wrong-password-or-damaged",
        "cannot decrypt member \(quoted(name)): the password is wrong, or the member is damaged",
        hint: "discard its output")
    case .unsupportedEncryption(let name):
      damaged("unsupported-encryption", "member \(quoted(name)) uses an unsupported encryption")
    case .unsupportedMethod(let name, let method):
      damaged(
        "unsupported-method",
        "member \(quoted(name)) uses compression method \(method), which this libzip does not support")
    }
  }

  static func libraryMissing(name: String, package: String) -> Failure {
    Failure(
      .unzip, .unavailable, "library-missing", "cannot load \(name)",
      hint: "install the package \(package); gzip and zlib need no library", blamesSource: false)
  }

  /// The archive's members are so fragmented that checking for overlaps would need too many ranges.
  static var tooScattered: Failure {
    let limit = Figures.grouped(UInt64(UnzipLimits.occupiedRangesMax))
    return damaged("too-scattered", "the zip archive's members are in more than \(limit) places")
  }

  /// A member needs a password, and none was provided.
  static func encrypted(name: String) -> Failure {
    damaged(
      "encrypted", "member \(quoted(name)) is encrypted",
      hint: "put the password in the first line of a file and use \(option: "password-file", "FILE")")
  }

  static func badPasswordFile(path: String, _ reason: String) -> Failure {
    Failure(.unzip, .usage, "bad-password-file", "no password in '\(path)': \(reason)")
  }

  /// Nested streams were to be unpacked, but this member is a zip archive.
  static func nestedArchive(name: String) -> Failure {
    damaged(
      "nested-archive",
      "member \(quoted(name)) is a zip archive; \(option: "nested") unpacks only compressed streams",
      hint: "extract it with 'cdpipe unzip --entry NAME', then unzip the result")
  }

  /// Some patterns match no member; a few of the existing names, and their number.
  static func noSuchEntry(patterns: [String], available: [String], count: Int) -> Failure {
    let members = available.map(quoted).joined(separator: ", ")
    return Failure(
      .unzip, .noInput, "no-such-entry",
      "no member matches \(patterns.map { "'\($0)'" }.joined(separator: ", "))",
      hint: "use one of its members: \(members)\(count > available.count ? ", …" : "")")
  }

  /// A member is of a format that is read as a whole, and others were unpacked with it; `count` members were selected.
  static func severalMembers(_ format: WholeFormat, name: String, count: Int) -> Failure {
    damaged(
      "several-members",
      "member \(quoted(name)), one of \(count), is \(format.phrase), which can't be joined with others",
      hint: "choose one with \(option: "entry", "NAME") (list: 'cdpipe unzip --list')")
  }
}
