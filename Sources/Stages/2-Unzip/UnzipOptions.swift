// `unzip` as a stage of a pipeline: its options and limits, and the entries of a listing.

import CLibraries
package import Records
package import SystemIO

package struct UnzipOptions: Sendable {
  /// The members to unpack, as shell patterns (`*` also matches `/`); empty for all. Each pattern must match a member.
  /// With patterns, input that is not a zip archive is an error.
  package var entries: [String] = []
  /// Whether a member of this name has numbers that are not blocked: beside other members, it is left out, unless it is one of
  /// ``entries``. Nil to unpack all members.
  package var isExceptions: (@Sendable (_ name: String) -> Bool)?
  /// Whether members that are compressed streams are unpacked, too, one level deep.
  package var unpacksNested = false
  /// The file whose first line is the password for encrypted members; nil for none.
  package var passwordFile: String?
  /// The maximum bytes of output, whether unpacked or passed through.
  ///
  /// 64 GiB is a billion rows, many times more than any list has, and fits on a disk.
  package var maxBytes: UInt64 = 64 << 30
  /// The maximum ratio of unpacked to packed size, for a member, a stream, or the whole output; checked after the first
  /// ``ratioFreeBytes``.
  ///
  /// Lists of numbers and labels have ratios of 3 to 30 (the assignments of the North American plan, padded with
  /// spaces, 19); deflate can reach 1,032, the others much more, and bombs do.
  package var maxRatio: Double = 200
  /// The directory in which an archive from a pipe is spooled; nil for the default.
  package var tempDirectory: String?
  /// Called with what is unpacked, before its bytes are sent downstream, in the thread of the stage; nil if that is not
  /// needed.
  package var observe: (@Sendable (UnpackedPart) -> Void)?

  /// The output size up to which any ratio is accepted.
  package static let ratioFreeBytes: UInt64 = 10 << 20
  /// The maximum length of a password in bytes. WinZip allows 128, the format 65,535; no one uses more than this.
  package static let passwordBytesMax = 1024

  package init() {}
}

package enum UnpackedPart: Equatable, Sendable {
  /// A member of a zip archive, by its name, which was chosen by the archive's creator and can be anything.
  case member(String)
  /// A member whose numbers are not blocked, by its name: it is read only if no other one is there.
  case exceptions(String, isRead: Bool)
  case stream(CompressedFormat)
}

/// A member of an archive whose numbers are not blocked, by its name.
package struct UnzipNotice: StageNotice, Equatable {
  package let archive: String
  package let member: String
  package let isRead: Bool
  /// The source's name; empty if the run has only one.
  package let source: String

  package var warning: UserMessage {
    let (archive, name) = (InputName.quoted(PrintableText.line(archive)), PrintableText.line(member))
    return isRead
      ? UserMessage(
        "\(archive): '\(name)' is read, although by its name, its numbers are not blocked",
        hint: "remove them from other lists with 'cdpipe subtract'")
      : UserMessage(
        "\(archive): '\(name)' is left out: by its name, its numbers are not blocked",
        hint: "read it alone with \(option: "entry", name), and leave its numbers out with 'cdpipe subtract'")
  }
}

package struct ArchiveEntry: Equatable, Sendable {
  /// The name, which was chosen by the archive's creator and can be anything.
  package var name: String
  package var size: UInt64
  package var compressedSize: UInt64
  /// The packing method: 0 for none, 8 for deflate; for others see APPNOTE 4.4.5.
  package var method: Int
  package var isEncrypted: Bool
  /// Whether it is a directory, without data.
  package var isDirectory: Bool { size == 0 && name.hasSuffix("/") }
}

extension ZipEntry {
  var summary: ArchiveEntry {
    ArchiveEntry(
      name: name, size: size, compressedSize: compressedSize, method: Int(method), isEncrypted: isEncrypted)
  }
}

/// Fixed limits of unpacking, with their reasons.
enum UnzipLimits {
  /// The maximum number of ranges for detecting overlaps. Adjacent members share a range, whatever their order in the
  /// directory. Each range needs 16 bytes, so this is 1 MiB.
  static let occupiedRangesMax = 65536
  /// The number of names listed when a pattern matches none.
  static let suggestedNamesMax = 5
  /// How many bytes are examined to distinguish a zlib stream from text that starts with the same two bytes. Among this
  /// many packed bytes, the probability of no control character is 1 in 10^13.
  static let sniffedBytes = 256
  /// The maximum window of a zstd or xz stream in bytes, which is memory that unpacking needs. `xz -9` and `zstd --long=26`
  /// use this much, the defaults of both at most 8 MiB; streams may demand 2 GiB and more.
  static let windowBytesMax: UInt64 = 64 << 20
}

extension StageName {
  package static let unzip = StageName(rawValue: "unzip")
}

extension UnzipOptions: StagePlan {
  package var name: StageName { .unzip }
  package var input: DataKind { .bytes }
  package var output: DataKind { .bytes }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    var options = self
    if environment.showsDetails {
      options.observe = { part in
        observe?(part)
        switch part {
        case .member(let name), .exceptions(let name, isRead: true):
          environment.noteDetail("unpacking '\(PrintableText.line(name))'")
        case .stream(let format): environment.noteDetail("unpacking \(format)")
        case .exceptions: break
        }
      }
    }
    let unzipper = Unzipper(options: options, context: environment.context, downstream: downstream.byteSink)
    unzipper.inputName = environment.inputName
    unzipper.notify = environment.notify
    return .bytes(unzipper)
  }
}

extension Unzipper: FileReader {
  /// The unzipper: it seeks in a zip archive that is a regular file.
  package var fileReader: (any FileReader)? { self }
}

extension RuntimeLibrary {
  package static var zip: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_zip_library_name()), command: "unzip", isUsable: cdp_zip_load() == 0)
  }

  /// Those of zstd, xz and bzip2.
  package static var decompressors: [RuntimeLibrary] {
    [CDP_ZSTD, CDP_XZ, CDP_BZIP2].map { format in
      RuntimeLibrary(
        name: unsafe String(cString: cdp_decompressor_library_name(format)), command: "unzip",
        isUsable: cdp_decompressor_load(format) == 0)
    }
  }
}
