// How fast the parse stage alone is: a file in memory, fed to RowParser in chunks as files are read, into a sink
// that only counts. Benchmarks/parse/run.sh sets it beside simdjson.
//
//     parse-rate [--strict] [--number FIELD] [--label FIELD] FILE [RUNS]
//
// Prints, for each run, seconds and rows, with a tab between. Not for: reading files or writing rows, which
// `cdpipe parse` does on top.

import ParseStage
import PipeStage
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
  case "--number" where !arguments.isEmpty: options.numberField = FieldSelector(arguments.removeFirst())
  case "--label" where !arguments.isEmpty: options.labelField = FieldSelector(arguments.removeFirst())
  default: arguments.removeAll()
  }
}
guard let path = arguments.first, let runs = Int(arguments.dropFirst().first ?? "1"), arguments.count <= 2
else {
  print("usage: parse-rate [--strict] [--number FIELD] [--label FIELD] FILE [RUNS]")
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
