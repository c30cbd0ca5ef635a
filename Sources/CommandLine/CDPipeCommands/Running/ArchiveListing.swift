// `cdpipe unzip --list`

import ArgumentParser
import PipeStage
import SystemIO
import UnzipStage

enum ArchiveListing {
  /// Prints `size TAB compressed size TAB name` for each member.
  static func print(_ path: String, _ options: UnzipOptions) throws {
    let voice = Voice(command: "unzip")
    do throws(PipeFailure) {
      let context = StageContext(meter: StageMeter(.unzip), rejects: try RejectLog())
      let file = try asPipeFailure(.unzip) { () throws(SystemFailure) in try InputFile(path) }
      let unzipper = Unzipper(
        options: options, context: context, downstream: Silent(),
        listing: { (entry) throws(PipeFailure) in
          let mark = entry.isEncrypted ? "\tencrypted" : ""
          Swift.print("\(entry.size)\t\(entry.compressedSize)\t\(entry.name)\(mark)")
        })
      try unzipper.read(file)
    } catch {
      throw voice.end(error)
    }
  }

  private final class Silent: ByteSink {
    func receive(_ chunk: inout ByteChunk) {}
    func finish() {}
  }
}
