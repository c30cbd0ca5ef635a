// The members of an archive as lines: `cdpipe unzip --list`.

package import Records
import SystemIO

package enum ArchiveListing {
  /// Writes a line for each member: `size TAB packed size TAB name [TAB encrypted]`, with the escapes of the text form,
  /// or a JSON object.
  package static func write(
    _ path: String, to output: String, _ options: UnzipOptions, isJSON: Bool, isTerminal: Bool
  ) throws(Failure) {
    let context = StageContext(meter: StageMeter(.unzip), rejects: try RejectLog())
    let input = try asFailure(.unzip) { () throws(SystemError) in try InputFile(path) }
    let sink = try FileSink(output, stage: .unzip, calls: context.calls)
    let unzipper = Unzipper(
      options: options, context: context, downstream: sink,
      listing: { (entry) throws(Failure) in
        let line = Array(((isJSON ? JSONLine.text(Member(entry)) : text(entry, isTerminal)) + "\n").utf8)
        var chunk = ByteChunk(capacity: line.count)
        chunk.append(line.span)
        try sink.receive(&chunk)
      })
    try unzipper.read(input)
    try unzipper.finish()
  }

  private static func text(_ entry: ArchiveEntry, _ isTerminal: Bool) -> String {
    // A name could contain terminal escape sequences.
    let name = isTerminal ? PrintableText.line(entry.name) : entry.name
    let escaped = String(decoding: RecordFields.bytes(RecordFields.Fields(label: name)), as: UTF8.self)
    return "\(entry.size)\t\(entry.compressedSize)\t\(escaped)\(entry.isEncrypted ? "\tencrypted" : "")"
  }

  /// The JSON form of a member.
  private struct Member: Encodable {
    var name: String
    var size: UInt64
    var packedSize: UInt64
    var method: Int
    var encrypted: Bool
    var directory: Bool

    init(_ entry: ArchiveEntry) {
      (name, size, packedSize, method) = (entry.name, entry.size, entry.compressedSize, entry.method)
      (encrypted, directory) = (entry.isEncrypted, entry.isDirectory)
    }
  }
}
