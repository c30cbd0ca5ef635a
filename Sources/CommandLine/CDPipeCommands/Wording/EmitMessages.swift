// Outputs that can't be made, in sentences.

import CallStoreWriter
import EmitStage

enum EmitMessages {
  static func sentence(_ failure: EmitError) -> UserMessage {
    switch failure {
    case .notForStore(let error, let row):
      switch error {
      case .notAscending(let previous, let first):
        UserMessage(
          "row \(row): \(first) stands behind \(previous), and a store takes ascending, disjoint records",
          hint: "put 'cdpipe sort' and 'cdpipe dedupe' before it")
      case .numberOutOfRange(let first, let last):
        UserMessage("row \(row): \(first)..\(last) is no range of numbers")
      case .labelTooLong(let bytes, let limit):
        UserMessage("row \(row): a label of \(bytes) bytes, and \(limit) is the most")
      case .tooManyBlocks(let limit): UserMessage("the store would have more than \(limit) blocks")
      }
    case .tooManyEntries(let count, let limit, let shards):
      UserMessage(
        "\(Figures.grouped(count)) numbers are more than one store takes (\(Figures.grouped(limit)))",
        hint: shards > EmitOptions.shardsMax
          ? "that is more than \(Figures.grouped(UInt64(EmitOptions.shardsMax))) shards as well; is a range longer than was meant?"
          : "--format store -o DIRECTORY writes them as \(Figures.grouped(shards)) shards")
    case .tooManyShards(let limit, let maxEntries, let entries):
      UserMessage(
        "the numbers need more than \(Figures.grouped(UInt64(limit))) shards of \(Figures.grouped(maxEntries))"
          + (entries == 0 ? "" : ": there were \(Figures.grouped(entries)) when that showed"),
        hint: limit == EmitOptions.shardsMax
          ? "is a range longer than was meant?"
          : "--shards says how many there may be; nothing was put in place")
    case .notSound(let error, let path):
      UserMessage(
        "the store just written does not verify: \(StoreMessages.sentence(error, path).message)",
        hint: "the disk or the memory is at fault; what stood there before is unchanged")
    case .deltaNotSound(let error, let path):
      UserMessage(
        "the delta just written does not verify: \(DeltaMessages.sentence(error, path).message)",
        hint: "the disk or the memory is at fault; what stood there before is unchanged")
    case .bootstrapLabelsTooLarge(let limit):
      UserMessage(
        "the labels of the strongest entries take more than \(ByteSize.text(UInt64(limit)))",
        hint: "--bootstrap with a smaller number needs fewer")
    case .manifestTooLarge(let bytes, let limit):
      UserMessage(
        "the manifest would have \(ByteSize.text(UInt64(bytes))), and \(ByteSize.text(UInt64(limit))) is the most",
        hint: "a larger --delta-entries makes fewer deltas")
    case .locked(let directory, let holder):
      UserMessage(
        "'\(directory)' is being written by "
          + (holder.map { "process \($0.process), since \($0.since)" } ?? "another cdpipe"),
        hint: "nothing was changed; try again when it is done")
    case .isTerminal: UserMessage("a store is not written to a terminal", hint: "-o FILE.cdstore")
    }
  }
}
