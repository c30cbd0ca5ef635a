// `cdpipe unzip --list`

import ArgumentParser
import Records
import SystemIO
import InputStages

/// Lists an archive's entries, one per line.
struct ArchiveListing {
  var file: String
  var output: String
  var isJSON: Bool

  /// Prints `size TAB packed size TAB name [TAB encrypted]` for each entry, with the escapes of the text form, or a
  /// JSON object.
  func print(_ options: UnzipOptions) throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "unzip")
    if output != "-", output == file {
      throw diagnostics.end(UserMessage("'\(file)' is read and written"), ExitStatus.usage)
    }
    do throws(Failure) {
      let context = StageContext(meter: StageMeter(.unzip), rejects: try RejectLog())
      let path = file
      let input = try asFailure(.unzip) { () throws(SystemError) in try InputFile(path) }
      let sink = try FileSink(output, stage: .unzip, calls: context.calls)
      let isTerminal = output == "-" && RunningProcess.isOutputTerminal
      let unzipper = Unzipper(
        options: options, context: context, downstream: sink,
        listing: { (entry) throws(Failure) in
          let line = Array(((isJSON ? Self.json(entry) : Self.line(entry, isTerminal)) + "\n").utf8)
          var chunk = ByteChunk(capacity: line.count)
          chunk.append(line.span)
          try sink.receive(&chunk)
        })
      try unzipper.read(input)
      try unzipper.finish()
    } catch {
      throw diagnostics.end(error)
    }
  }

  private static func line(_ entry: ArchiveEntry, _ isTerminal: Bool) -> String {
    // A name could contain terminal escape sequences.
    let name = isTerminal ? PrintableText.line(entry.name) : entry.name
    let escaped = String(decoding: RecordFields.bytes(RecordFields.Fields(label: name)), as: UTF8.self)
    return "\(entry.size)\t\(entry.compressedSize)\t\(escaped)\(entry.isEncrypted ? "\tencrypted" : "")"
  }

  /// The JSON form of an entry.
  private struct Fields: Encodable {
    var name: String
    var size: UInt64
    var packedSize: UInt64
    var method: Int
    var encrypted: Bool
    var directory: Bool
  }

  private static func json(_ entry: ArchiveEntry) -> String {
    let fields = Fields(
      name: entry.name, size: entry.size, packedSize: entry.compressedSize, method: entry.method,
      encrypted: entry.isEncrypted, directory: entry.isDirectory)
    return JSONLine.text(fields)
  }
}
