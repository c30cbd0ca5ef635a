// Archives that can't be unpacked, in sentences.

import UnzipStage

enum UnzipMessages {
  static func sentence(_ failure: UnzipError) -> UserMessage {
    switch failure {
    case .libraryMissing(let name, let package):
      UserMessage("cannot use \(name)", hint: "install the package \(package); gzip and zlib need no library")
    case .outOfMemory: UserMessage("no memory for unpacking")
    case .damagedSignature(let format):
      UserMessage("the input begins almost as a \(words(format)) does: it is damaged", hint: "fetch it again")
    case .unsupportedFormat(let format, let member):
      UserMessage(
        "\(member.map { "member \(quoted($0))" } ?? "the input") is \(words(format)), which cdpipe does not unpack",
        hint: foreignHint(format, member))
    case .damagedArchive(let defect):
      UserMessage("the zip archive is damaged or cut short: \(reason(defect))", hint: hint(defect))
    case .tooScattered(let limit):
      UserMessage("the zip archive's members lie in more than \(Figures.grouped(UInt64(limit))) places")
    case .damagedMember(let name, let defect):
      UserMessage("member \(quoted(name)) is damaged: \(reason(defect))")
    case .wrongChecksum(let name):
      UserMessage(
        "member \(quoted(name)) is damaged: its checksum is wrong",
        hint: "what came out of it is not to be used")
    case .wrongSize(let name, let expected, let unpacked):
      UserMessage(
        "member \(quoted(name)) is damaged: \(Figures.grouped(unpacked)) bytes came out of \(Figures.grouped(expected))"
      )
    case .encrypted(let name):
      UserMessage(
        "member \(quoted(name)) is encrypted",
        hint: "--password-file FILE names a file whose first line is the password")
    case .wrongPassword(let name):
      UserMessage("the password is not that of member \(quoted(name))")
    case .wrongPasswordOrDamaged(let name):
      UserMessage(
        "member \(quoted(name)) can't be decrypted: the password is wrong, or the member is damaged",
        hint: "what came out of it is not to be used")
    case .unsupportedEncryption(let name):
      UserMessage("member \(quoted(name)) is encrypted in a way that can't be read here")
    case .badPasswordFile(let path, let defect):
      UserMessage("no password in '\(path)': \(reason(defect))")
    case .unsupportedMethod(let name, let method):
      UserMessage("member \(quoted(name)) is packed with method \(method), which libzip here does not know")
    case .nestedArchive(let name):
      UserMessage(
        "member \(quoted(name)) is a zip archive, and --nested unpacks gzip and zlib streams only",
        hint: "cdpipe unzip --entry NAME takes it out; unzip that then")
    case .noSuchEntry(let patterns, let available, let count):
      UserMessage(
        "no member fits \(patterns.map { "'\($0)'" }.joined(separator: ", "))",
        hint:
          "its members: \(available.map(quoted).joined(separator: ", "))\(count > available.count ? ", …" : "")"
      )
    case .notAnArchive:
      UserMessage(
        "the input is not a zip archive, and only those have members",
        hint: "without --entry and --list, other input is unpacked or passed on as a whole")
    case .tooLarge(let limit):
      UserMessage(
        "what comes out is more than \(ByteSize.limit(limit))", hint: "--max-size SIZE allows more")
    case .expandsTooMuch(let limit, let bytesIn, let bytesOut):
      UserMessage(
        "\(ByteSize.text(bytesIn)) unpack to \(ByteSize.text(bytesOut)), more than \(ByteSize.tenths(limit)) times as much",
        hint: "--max-ratio N allows more")
    case .truncatedStream(let stream, let byte):
      UserMessage("\(words(stream)) is cut short at byte \(byte)", hint: "fetch it again")
    case .damagedStream(let stream, let byte, let text):
      UserMessage("\(words(stream)) is damaged near byte \(byte)\(text.isEmpty ? "" : ": \(text)")")
    case .trailingGarbage(let stream, let byte):
      UserMessage("there is something else behind \(words(stream)), from byte \(byte) on")
    }
  }

  private static func reason(_ defect: ArchiveErrorReason) -> String {
    switch defect {
    case .noEndRecord: "it has no end"
    case .trailingBytes(let byte): "there is something else behind its end, from byte \(byte) on"
    case .badEndRecord: "its directory is not where its end says"
    case .multipleDisks: "it is a part of an archive in several files"
    case .badEntry(let index): "entry \(index + 1) of its directory makes no sense"
    }
  }

  private static func hint(_ defect: ArchiveErrorReason) -> String {
    switch defect {
    case .multipleDisks: "only archives in one file can be read"
    default: "fetch it again"
    }
  }

  private static func reason(_ defect: MemberErrorReason) -> String {
    switch defect {
    case .noHeader: "it is not where the directory says"
    case .headerMismatch(let field): "its header and the directory disagree on its \(words(field))"
    case .outOfBounds: "it is longer than the archive"
    case .overlapsMember: "it lies over another member, as bombs are built"
    case .truncated: "its packed bytes end too early"
    case .trailingBytes: "there are packed bytes behind its end"
    case .badData(let text): text.isEmpty ? "its packed bytes make no sense" : text
    }
  }

  private static func words(_ field: HeaderField) -> String {
    switch field {
    case .name: "name"
    case .method: "method"
    case .encryption: "encryption"
    case .sizes: "checksum or sizes"
    }
  }

  private static func reason(_ defect: PasswordErrorReason) -> String {
    switch defect {
    case .empty: "its first line is empty"
    case .tooLong(let limit): "its first line is longer than \(Figures.grouped(UInt64(limit))) bytes"
    case .zeroByte: "its first line has a zero byte"
    }
  }

  private static func words(_ format: PackedFormat) -> String {
    switch format {
    case .zip: "zip archive"
    case .gzip: "gzip stream"
    case .zlib: "zlib stream"
    }
  }

  private static func words(_ format: UnsupportedFormat) -> String {
    switch format {
    case .sevenZip: "a 7z archive"
    case .xz: "an xz stream"
    case .bzip2: "a bzip2 stream"
    case .zstandard: "a Zstandard stream"
    case .rar: "a RAR archive"
    case .lz4: "an LZ4 stream"
    }
  }

  /// How to unpack it without cdpipe. What unpacks archives with a table at their end reads no pipe.
  private static func foreignHint(_ format: UnsupportedFormat, _ member: String?) -> String {
    guard let member else { return "\(command(format)) FILE | cdpipe parse" }
    let taken = "cdpipe unzip --entry \(quoted(member)) ARCHIVE"
    switch format {
    case .sevenZip, .rar: return "\(taken) > FILE; \(command(format)) FILE | cdpipe parse"
    case .xz, .bzip2, .zstandard, .lz4: return "\(taken) | \(command(format)) | cdpipe parse"
    }
  }

  /// A command that writes what is in its input to standard output.
  private static func command(_ format: UnsupportedFormat) -> String {
    switch format {
    case .sevenZip, .rar: "7zz x -so"
    case .xz: "xz -dc"
    case .bzip2: "bzip2 -dc"
    case .zstandard: "zstd -dc"
    case .lz4: "lz4 -dc"
    }
  }

  private static func words(_ stream: PackedStream) -> String {
    "the \(words(stream.format))" + (stream.member.map { " in member \(quoted($0))" } ?? "")
  }

  private static func quoted(_ name: String) -> String {
    RejectMessages.quoted(Array(name.utf8))
  }
}
