// The speed of the parse stage alone: a file in memory, passed to RowParser in chunks as files are read, into a sink
// that only counts. Benchmarks/json_parsing.py compares it with simdjson.
//
//     parse-rate [--strict] [--format NAME] [--number FIELD] [--label FIELD] FILE [RUNS]
//
// Prints seconds and rows of each run, separated by a tab. The format is json unless named; formats of other
// applications are not read. Not for reading files or writing rows, which `cdpipe parse` does in addition.

import InputStages
import Records
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

var arguments = Array(CommandLine.arguments.dropFirst())
var options = ParseOptions()
options.format = .json
while let option = arguments.first, option.hasPrefix("--") {
  arguments.removeFirst()
  switch option {
  case "--strict": options.isStrict = true
  case "--format" where !arguments.isEmpty:
    options.format = ParseOptions.Format(rawValue: arguments.removeFirst()) ?? .auto
  case "--number" where !arguments.isEmpty: options.numberField = FieldSelector(arguments.removeFirst())
  case "--label" where !arguments.isEmpty: options.labelField = FieldSelector(arguments.removeFirst())
  default: arguments.removeAll()
  }
}
guard let path = arguments.first, let runs = Int(arguments.dropFirst().first ?? "1"), arguments.count <= 2
else {
  print("usage: parse-rate [--strict] [--format NAME] [--number FIELD] [--label FIELD] FILE [RUNS]")
  exit(64)
}
do {
  let bytes = try wholeFile(path)
  for _ in 0..<max(runs, 1) {
    let run = try parsed(bytes, path, options)
    print("\(run.seconds)\t\(run.rows)")
  }
} catch {
  var message = Array("parse-rate: \(error)\n".utf8)
  _ = unsafe write(2, &message, message.count)
  exit(74)
}
