// The options of `cdpipe emit` for a directory of shards.

import ArgumentParser
import RecordStages

/// A percentage from 1% to 100%.
struct Fill: ExpressibleByArgument, Equatable {
  let percent: Int

  init?(argument: String) {
    guard argument.hasSuffix("%"), let percent = Int(argument.dropLast()), (1...100).contains(percent) else {
      return nil
    }
    self.percent = percent
  }
}

/// A date with an optional time of day in ISO 8601: 2026-03-31, 2026-03-31T04:30:00Z.
struct ISODate: ExpressibleByArgument, Equatable {
  let text: String

  init?(argument: String) {
    guard let digits = Self.digits(argument), Self.isReal(digits) else { return nil }
    text = argument
  }

  /// Returns year, month, day, hour, minute and second; nil if the text does not have the form.
  private static func digits(_ text: String) -> [Int]? {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let date = numbers(parts[0], "-", [4, 2, 2]) else { return nil }
    guard parts.count == 2 else { return date + [0, 0, 0] }
    var time = parts[1]
    if time.last == "Z" {
      time.removeLast()
    } else {
      // +08:00
      guard time.count == 14, let zone = numbers(time.suffix(5), ":", [2, 2]), zone[0] < 24, zone[1] < 60,
        "+-".contains(time.dropLast(5).last ?? " ")
      else { return nil }
      time.removeLast(6)
    }
    return numbers(time, ":", [2, 2, 2]).map { date + $0 }
  }

  private static func numbers(_ text: Substring, _ separator: Character, _ widths: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == widths.count else { return nil }
    var numbers: [Int] = []
    for (part, width) in zip(parts, widths) {
      guard part.utf8.count == width, part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let number = Int(part)
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  private static func isReal(_ digits: [Int]) -> Bool {
    let (year, month, day) = (digits[0], digits[1], digits[2])
    guard (1...12).contains(month) else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    // 60 is valid: a leap second.
    return (1...days).contains(day) && digits[3] < 24 && digits[4] < 60 && digits[5] <= 60
  }
}

struct ShardArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Fail if more than N shards are needed, the number of extensions of the app. With --format pir: write N shards.",
      valueName: "n"))
  var shards: Int?

  @Option(
    help: ArgumentHelp(
      "Fill new shards only to this percentage of the maximum (default: 100%).", valueName: "p%"))
  var fill: Fill?

  @Option(
    help: ArgumentHelp(
      """
      Keep the shard boundaries of this manifest, and write the changes since then as deltas; 'none' for the first \
      time. With --format pir: keep its parameters (default: those of the directory that is replaced).
      """, valueName: "manifest"), completion: .file(extensions: ["json"]))
  var baseline: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write a small starter store of the N highest-scoring entries (at most \(ShardOptions.bootstrapMax)).",
      valueName: "n"))
  var bootstrap: Int?

  @Option(
    help: ArgumentHelp(
      "The date to write into the manifest, such as 2026-03-31T04:30:00Z.", valueName: "iso8601"))
  var date: ISODate?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The maximum number of additions in one delta (default: --max-entries).", valueName: "n"))
  var deltaEntries: UInt64?

  @Flag(help: "In a run: omit the SHA-256 of the sources from the manifest.")
  var noSourceHashes = false

  func validate() throws {
    if let shards, shards < 1 { throw ValidationError("--shards must be above 0") }
    if let bootstrap, !(1...ShardOptions.bootstrapMax).contains(bootstrap) {
      throw ValidationError("--bootstrap must be 1 to \(ShardOptions.bootstrapMax)")
    }
    if deltaEntries == 0 { throw ValidationError("--delta-entries must be above 0") }
    if deltaEntries != nil, baseline == nil { throw ValidationError("--delta-entries needs --baseline") }
    if baseline == "" { throw ValidationError("--baseline must be the path of a manifest") }
  }

  /// The first of these options that is set.
  var first: String? {
    if shards != nil { return "shards" }
    if baseline != nil { return "baseline" }
    return firstForStores
  }

  /// The first of these options that is set and applies to stores only.
  var firstForStores: String? {
    if fill != nil { return "fill" }
    if bootstrap != nil { return "bootstrap" }
    if date != nil { return "date" }
    if deltaEntries != nil { return "delta-entries" }
    return noSourceHashes ? "no-source-hashes" : nil
  }

  func options() -> ShardOptions {
    var options = ShardOptions()
    options.shards = shards
    options.fillPercent = fill?.percent
    options.baseline = baseline
    options.bootstrap = bootstrap
    options.date = date?.text
    options.deltaEntries = deltaEntries
    options.leavesOutSourceHashes = noSourceHashes
    return options
  }
}
