// The speed of the parse stage alone: a file in memory, passed to RowParser in chunks as files are read, into a sink
// that only counts. Benchmarks/json_parsing.py compares it with simdjson.
//
//     parse-rate [--strict] [--format NAME] [--number FIELD] [--label FIELD] FILE [RUNS]
//
// Prints seconds and rows of each run, separated by a tab. The format is json unless named; formats of other
// applications are not read.

import InputStages
import Records
import SystemIO

private final class RowCounter: RawRowSink {
  var rows: UInt64 = 0

  func receive(_ batch: inout RawRowBatch) throws(Failure) { rows += UInt64(batch.count) }
  func finish() throws(Failure) {}
}

/// Reads a file into memory, in chunks of the size that the runner uses.
func wholeFile(_ path: String) throws(SystemError) -> ChunkList {
  var file = try InputFile(path)
  let chunks = ChunkList()
  while true {
    var chunk = ByteChunk()
    while chunk.freeCapacity > 0 {
      if try file.read(into: &chunk) == 0 { break }
    }
    if chunk.isEmpty { return chunks }
    chunks.append(chunk)
  }
}

final class ChunkList {
  private var chunks: [Holder] = []

  private final class Holder {
    var chunk: ByteChunk
    init(_ chunk: consuming ByteChunk) { self.chunk = chunk }
  }

  func append(_ chunk: consuming ByteChunk) { chunks.append(Holder(chunk)) }

  /// Calls `body` with each chunk.
  func forEach(_ body: (inout ByteChunk) throws(Failure) -> Void) throws(Failure) {
    for holder in chunks { try body(&holder.chunk) }
  }
}

func parsed(
  _ bytes: ChunkList, _ name: String, _ options: ParseOptions
) throws(Failure) -> (seconds: Double, rows: UInt64) {
  let counter = RowCounter()
  let context = StageContext(meter: StageMeter(.parse), rejects: try RejectLog())
  let start = MonotonicClock.seconds()
  let parser = RowParser(
    options: options, input: name, context: context, downstream: counter)
  try bytes.forEach { (chunk) throws(Failure) in try parser.receive(&chunk) }
  try parser.finish()
  return (MonotonicClock.seconds() - start, counter.rows)
}

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
