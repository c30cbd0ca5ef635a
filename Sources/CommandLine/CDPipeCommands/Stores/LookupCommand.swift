// `cdpipe lookup`

import ArgumentParser
import CallRecord
import CallStoreFormat
import CallStoreReader
import NormalizeStage
import NumberPlan
import SystemIO
import UserMessages

struct LookupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Look up numbers in a store.",
    discussion: """
      Prints each number that is found and its label, separated by a tab. Numbers inside a range are found, too. Numbers \
      are E.164 digits; with --region, they are read as 'normalize' reads them. The exit status is 1 if a number \
      is not found.
      """)

  @Argument(help: ArgumentHelp("The store.", valueName: "store"))
  var store: String

  @Argument(help: ArgumentHelp("The numbers.", valueName: "number"))
  var numbers: [String]

  @Option(
    help: ArgumentHelp("The region of numbers without a country calling code.", valueName: "cc"),
    transform: Region.typed)
  var region: Region?

  @Flag(help: "Print one JSON object per line, with the record and its kind.")
  var json = false

  func validate() throws {
    if numbers.isEmpty { throw ValidationError("Missing expected argument '<number> ...'") }
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "lookup")
    let reading = NumberLookup(region: region)
    var wanted: [(text: String, number: UInt64)] = []
    for text in numbers {
      do throws(NormalizeReject) {
        wanted.append((text, try reading.number(text)))
      } catch {
        throw diagnostics.end(NumberMessages.unreadable(text, error, region), ExitStatus.usage)
      }
    }
    let isJSON = json
    let missing = try withStore(store, diagnostics) { (opened) throws(CallStoreError) in
      var missing: [String] = []
      for (text, number) in wanted {
        guard let record = try opened.record(of: number) else {
          missing.append(text)
          continue
        }
        let label = opened.text(of: record.label)
        StandardOutput.print(isJSON ? Self.json(number, record, label) : Self.line(number, label))
      }
      return missing
    }
    if !missing.isEmpty {
      throw diagnostics.end(
        UserMessage("not in '\(store)': \(missing.joined(separator: ", "))"), ExitStatus.no)
    }
  }

  private static func line(_ number: UInt64, _ label: String) -> String {
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: label))
    return recordFields.isEmpty ? "\(number)" : "\(number)\t\(String(decoding: recordFields, as: UTF8.self))"
  }

  /// The JSON form of a record that was found.
  private struct RecordDocument: Encodable {
    var number: UInt64
    var kind: String
    var first: UInt64
    var last: UInt64
    var label: String
  }

  private static func json(_ number: UInt64, _ record: StoreRecord, _ label: String) -> String {
    let found = RecordDocument(
      number: number, kind: record.kind == .blocking ? "blocking" : "identification", first: record.first,
      last: record.last, label: label)
    return JSONLine.text(found)
  }
}
