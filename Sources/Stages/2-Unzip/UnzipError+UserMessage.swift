// Messages for errors of `unzip`.

package import Records

extension UnzipError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .libraryMissing(let name, let package):
      UserMessage(
        "cannot load \(name)", hint: "install the package \(package); gzip and zlib need no library")
    case .outOfMemory: UserMessage("out of memory")
    case .damagedSignature(let format):
      UserMessage(
        "the input starts almost like a \(format.phrase): it is damaged", hint: "download it again")
    case .unsupportedFormat(let format, let member): Self.foreign(format, member)
    case .damagedArchive(let reason):
      UserMessage("the zip archive is damaged or truncated: \(reason.text)", hint: reason.hint)
    case .tooScattered(let limit):
      UserMessage("the zip archive's members are in more than \(Figures.grouped(UInt64(limit))) places")
    case .damagedMember(let name, let reason):
      UserMessage("member \(Self.quoted(name)) is damaged: \(reason.text)")
    case .wrongChecksum(let name):
      UserMessage("member \(Self.quoted(name)) is damaged: wrong checksum", hint: "discard its output")
    case .wrongSize(let name, let expected, let unpacked):
      UserMessage(
        "member \(Self.quoted(name)) is damaged: it unpacked to \(Figures.grouped(unpacked)) of "
          + "\(Figures.grouped(expected)) bytes")
    case .encrypted(let name):
      UserMessage(
        "member \(Self.quoted(name)) is encrypted",
        hint: "put the password in the first line of a file and use --password-file FILE")
    case .wrongPassword(let name): UserMessage("wrong password for member \(Self.quoted(name))")
    case .wrongPasswordOrDamaged(let name):
      UserMessage(
        "cannot decrypt member \(Self.quoted(name)): the password is wrong, or the member is damaged",
        hint: "discard its output")
    case .unsupportedEncryption(let name):
      UserMessage("member \(Self.quoted(name)) uses an unsupported encryption")
    case .badPasswordFile(let path, let reason):
      UserMessage("no password in '\(path)': \(reason.text)")
    case .unsupportedMethod(let name, let method):
      UserMessage(
        "member \(Self.quoted(name)) uses compression method \(method), which this libzip does not support")
    case .nestedArchive(let name):
      UserMessage(
        "member \(Self.quoted(name)) is a zip archive; --nested unpacks only gzip and zlib streams",
        hint: "extract it with 'cdpipe unzip --entry NAME', then unzip the result")
    case .noSuchEntry(let patterns, let available, let count): Self.noMatch(patterns, available, count)
    case .notAnArchive: Self.notAnArchiveMessage
    case .severalMembers(let format, let name, let count): Self.severalMembers(format, name, count)
    case .archiveAfterOtherData: Self.archiveAfterOtherDataMessage
    case .tooLarge(let limit):
      UserMessage(
        "the output exceeds \(Figures.byteLimit(limit))", hint: "allow more with --max-size SIZE")
    case .expandsTooMuch(let limit, let bytesIn, let bytesOut):
      Self.tooMuch(limit, bytesIn, bytesOut)
    case .truncatedStream(let stream, let byte):
      UserMessage("\(stream.phrase) is truncated at byte \(byte)", hint: "download it again")
    case .damagedStream(let stream, let byte, let text):
      UserMessage("\(stream.phrase) is damaged near byte \(byte)\(text.isEmpty ? "" : ": \(text)")")
    case .trailingGarbage(let stream, let byte):
      UserMessage("\(stream.phrase) has other data after its end, from byte \(byte)")
    }
  }

  private static let notAnArchiveMessage = UserMessage(
    "the input is not a zip archive and has no members",
    hint: "remove --entry or --list: other input is unpacked, or passed on unchanged")

  private static let archiveAfterOtherDataMessage = UserMessage(
    "the input ends with a zip archive, but starts with other data",
    hint: "unpack it with 'bsdtar -xOf FILE' or '7z x FILE', or remove the other data with 'zip -J FILE'")

  private static func severalMembers(_ format: WholeFormat, _ name: String, _ count: Int) -> UserMessage {
    UserMessage(
      "member \(quoted(name)), one of \(count), is \(format.phrase), which can't be joined with others",
      hint: "choose one with --entry NAME (list: 'cdpipe unzip --list')")
  }

  private static func tooMuch(_ limit: Double, _ bytesIn: UInt64, _ bytesOut: UInt64) -> UserMessage {
    UserMessage(
      "\(Figures.bytes(bytesIn)) unpack to \(Figures.bytes(bytesOut)), more than \(Figures.tenths(limit)) times as much",
      hint: "allow more with --max-ratio N")
  }

  private static func foreign(_ format: UnsupportedFormat, _ member: String?) -> UserMessage {
    let input = member.map { "member \(quoted($0))" } ?? "the input"
    return UserMessage(
      "\(input) is \(format.phrase), which cdpipe does not unpack", hint: format.hint(member))
  }

  private static func noMatch(_ patterns: [String], _ available: [String], _ count: Int) -> UserMessage {
    let members = available.map(quoted).joined(separator: ", ")
    return UserMessage(
      "no member matches \(patterns.map { "'\($0)'" }.joined(separator: ", "))",
      hint: "use one of its members: \(members)\(count > available.count ? ", …" : "")")
  }

  fileprivate static func quoted(_ name: String) -> String { PrintableText.quoted(Array(name.utf8)) }
}

extension WholeFormat {
  fileprivate var phrase: String {
    switch self {
    case .office: "a workbook or another Office document"
    case .database: "a SQLite database"
    case .propertyList: "a binary property list"
    }
  }
}

extension ArchiveErrorReason {
  var text: String {
    switch self {
    case .noEndRecord: "its end is missing"
    case .trailingBytes(let byte): "it has other data after its end, from byte \(byte)"
    case .badEndRecord: "its directory is not at the recorded place"
    case .multipleDisks: "it is one part of a multi-part archive"
    case .badEntry(let index): "entry \(index + 1) of its directory is invalid"
    }
  }

  fileprivate var hint: String {
    switch self {
    case .multipleDisks: "use an archive that is a single file"
    default: "download it again"
    }
  }
}

extension MemberErrorReason {
  var text: String {
    switch self {
    case .noHeader: "it is not at the place recorded in the directory"
    case .headerMismatch(let field): "its header and the directory disagree on its \(field.phrase)"
    case .outOfBounds: "it extends past the end of the archive"
    case .overlapsMember: "it overlaps another member, like in a zip bomb"
    case .truncated: "its compressed data is truncated"
    case .trailingBytes: "it has extra compressed data after its end"
    case .badData(let text): text.isEmpty ? "its compressed data is invalid" : text
    }
  }
}

extension HeaderField {
  fileprivate var phrase: String {
    switch self {
    case .name: "name"
    case .method: "method"
    case .encryption: "encryption"
    case .sizes: "checksum or sizes"
    }
  }
}

extension PasswordErrorReason {
  fileprivate var text: String {
    switch self {
    case .empty: "its first line is empty"
    case .tooLong(let limit): "its first line is longer than \(Figures.grouped(UInt64(limit))) bytes"
    case .zeroByte: "its first line contains a zero byte"
    }
  }
}

extension PackedFormat {
  fileprivate var phrase: String {
    switch self {
    case .zip: "zip archive"
    case .gzip: "gzip stream"
    case .zlib: "zlib stream"
    }
  }
}

extension PackedStream {
  fileprivate var phrase: String {
    "the \(format.phrase)" + (member.map { " in member \(UnzipError.quoted($0))" } ?? "")
  }
}

extension UnsupportedFormat {
  fileprivate var phrase: String {
    switch self {
    case .sevenZip: "a 7z archive"
    case .xz: "an xz stream"
    case .bzip2: "a bzip2 stream"
    case .zstandard: "a Zstandard stream"
    case .rar: "a RAR archive"
    case .lz4: "an LZ4 stream"
    }
  }

  /// How to unpack the format without cdpipe. Archives with a table at their end can't be read from a pipe.
  fileprivate func hint(_ member: String?) -> String {
    guard let member else { return "use \(command) FILE | cdpipe parse" }
    let extraction = "use cdpipe unzip --entry \(UnzipError.quoted(member)) ARCHIVE"
    switch self {
    case .sevenZip, .rar: return "\(extraction) > FILE; \(command) FILE | cdpipe parse"
    case .xz, .bzip2, .zstandard, .lz4: return "\(extraction) | \(command) | cdpipe parse"
    }
  }

  /// A command that unpacks its input to standard output.
  private var command: String {
    switch self {
    case .sevenZip, .rar: "7zz x -so"
    case .xz: "xz -dc"
    case .bzip2: "bzip2 -dc"
    case .zstandard: "zstd -dc"
    case .lz4: "lz4 -dc"
    }
  }
}
