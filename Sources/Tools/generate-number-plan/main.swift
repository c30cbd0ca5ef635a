// `generate-number-plan METADATA.xml [VERSION]`: rewrites the numbering-plan tables; `-` is standard input.
// Only arguments and files; NumberPlanGeneration does the work.

import Foundation
import NumberPlanGeneration

let usage =
  "usage: generate-number-plan PhoneNumberMetadata.xml [VERSION, such as 9.0.35] [-o NumberPlanTables.c]"

func fail(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("generate-number-plan: \(message)\n".utf8))
  exit(status)
}

/// The value of `name = …;` in generated tables.
func constant(_ name: String, in tables: String) -> String? {
  guard let start = tables.range(of: "\(name) = ")?.upperBound else { return nil }
  return tables[start...].prefix { $0 != ";" }.trimmingCharacters(in: CharacterSet(charactersIn: "\"u"))
}

var arguments = Array(CommandLine.arguments.dropFirst())
var output = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../C/CNumberPlanTables/NumberPlanTables.c").standardizedFileURL
if let option = arguments.firstIndex(of: "-o") {
  guard option + 1 < arguments.count else { fail(usage, status: 64) }
  output = URL(filePath: arguments[option + 1])
  arguments.removeSubrange(option...(option + 1))
}
guard (1...2).contains(arguments.count), arguments[0] == "-" || !arguments[0].hasPrefix("-") else {
  fail(usage, status: 64)
}

let isPiped = arguments[0] == "-"
let contents =
  isPiped ? try? FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: arguments[0])
// Empty piped input may be a failed download; the download program has printed the error then.
guard let metadata = contents, !metadata.isEmpty else { fail("cannot read '\(arguments[0])'", status: 66) }
let old = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
let fingerprint = "\(NumberPlanGenerator.fingerprint(of: metadata))"
let isSameMetadata = constant("cnp_metadata_fingerprint_value", in: old) == fingerprint
let oldVersion = isSameMetadata ? constant("cnp_metadata_version_text[]", in: old) : nil
guard let version = arguments.dropFirst().first ?? oldVersion else {
  fail(
    """
    '\(arguments[0])' is not the metadata of the present tables, and does not name its version
      hint: generate-number-plan \(arguments[0]) VERSION, with the libphonenumber release it came with
    """, status: 64)
}

do {
  let tables = try NumberPlanGenerator.tables(fromMetadata: metadata, version: version)
  try Data(tables.utf8).write(to: output, options: .atomic)
} catch let failure as GenerationError {
  fail("\(arguments[0]): \(failure)", status: 65)
} catch {
  fail("cannot write '\(output.path())': \(error)", status: 73)
}
