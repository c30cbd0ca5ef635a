// Archives that can't be unpacked, in sentences.

import UnzipStage

enum UnzipWording {
  static func sentence(_ failure: UnzipFailure) -> Sentence {
    switch failure {
    case .libraryMissing(let name, let package):
      Sentence("cannot use \(name)", hint: "install the package \(package); gzip needs no library")
    case .outOfMemory: Sentence("no memory for unpacking")
    case .damagedArchive(_, let text):
      Sentence("the zip archive is damaged or cut short: \(text)", hint: "fetch it again")
    case .damagedMember(let name, _, let text): Sentence("member \(quoted(name)) is damaged: \(text)")
    case .wrongChecksum(let name):
      Sentence(
        "member \(quoted(name)) is damaged: its checksum is wrong",
        hint: "what came out of it is not to be used")
    case .wrongSize(let name, let expected, let unpacked):
      Sentence(
        "member \(quoted(name)) is damaged: \(Figures.grouped(unpacked)) bytes came out of \(Figures.grouped(expected))"
      )
    case .encrypted(let name):
      Sentence("member \(quoted(name)) is encrypted, and passwords are not supported yet")
    case .unsupportedMethod(let name, let method):
      Sentence(
        "member \(quoted(name)) is packed with method \(method.map(String.init) ?? "unknown"), which libzip here does not know"
      )
    case .noSuchEntry(let patterns, let available, let count):
      Sentence(
        "no member fits \(patterns.map { "'\($0)'" }.joined(separator: ", "))",
        hint:
          "its members: \(available.map(quoted).joined(separator: ", "))\(count > available.count ? ", …" : "")"
      )
    case .notAnArchive: Sentence("the input is not a zip archive")
    case .directoryTooLarge(let limit):
      Sentence("the archive's directory is larger than \(ByteSize.text(limit))")
    case .tooLarge(let limit):
      Sentence("more than \(ByteSize.text(limit)) came out", hint: "--max-size SIZE allows more")
    case .expandsTooMuch(let limit, let bytesIn, let bytesOut):
      Sentence(
        "\(ByteSize.text(bytesOut)) came out of \(ByteSize.text(bytesIn)), more than \(ByteSize.tenths(limit)) times as much",
        hint: "--max-ratio N allows more")
    case .truncatedGzip(let byte):
      Sentence("the gzip stream is cut short at byte \(byte)", hint: "fetch it again")
    case .damagedGzip(let byte, let text): Sentence("the gzip stream is damaged near byte \(byte): \(text)")
    case .trailingGarbage(let byte):
      Sentence("there is something else behind the gzip stream, from byte \(byte) on")
    }
  }

  private static func quoted(_ name: String) -> String {
    RejectWording.quoted(Array(name.utf8))
  }
}
