// Live Caller ID Lookup directories for tests, made by the program's own writer, and read in the simplest way.

import BasicContainers
import Hashing
import RecordStages
import Records
import StoreWriting
import TestSupport

/// A record of a directory, as a plain value.
struct ReadRecord: Equatable, CustomStringConvertible {
  var number: UInt64
  var isBlocked: Bool
  var label: String
  var description: String { "\(number) \(isBlocked) '\(label)'" }
}

/// Writes records as a directory.
func emitLookup(
  _ records: [TestRecord], to directory: String, shards: Int?,
  _ change: (inout EmitOptions) -> Void = { _ in }
) throws {
  var options = EmitOptions(format: .pir, output: directory)
  options.allowsEmpty = true
  options.shards.shards = shards
  options.lookup.bundleIdentifier = "com.example.app.lookup"
  change(&options)
  let stage = try StageFixture(.emit)
  try feed(records, to: try Emitter(options: [options], context: stage.context))
}

/// All records of a directory.
func records(of directory: CallerIDFolder) throws(Failure) -> [ReadRecord] {
  var found: [ReadRecord] = []
  var records = CallerIDRecords(directory)
  var batch = RecordBatch()
  while try records.next(&batch) {
    for index in 0..<batch.count {
      found.append(
        ReadRecord(
          number: batch.firsts[index], isBlocked: records.areBlocked[index],
          label: RecordFields.fields(batch[fieldsAt: index]).label))
    }
    batch.removeAll()
  }
  return found
}

/// The code and the text of a failure.
func finding(_ error: Failure) -> String { "\(error.code): \(error.message.message)" }

/// What a verification reports.
func findings(in directory: String) throws(Failure) -> [String] {
  var found: [String] = []
  try CallerIDFolder(directory).verify { error, _ in found.append(finding(error)) }
  return found
}

/// The bytes of a row with any keyword of less than 128 bytes.
func row(_ keyword: String, _ value: [UInt8]) -> [UInt8] {
  let inner = [0x0A, UInt8(keyword.utf8.count)] + Array(keyword.utf8) + KeywordRow.field(value: value)
  var (bytes, rest): ([UInt8], Int) = ([0x0A], inner.count)
  while rest >= 128 {
    bytes.append(UInt8(rest & 127) | 128)
    rest >>= 7
  }
  return bytes + [UInt8(rest)] + inner
}

/// Makes the hashes of a directory those of its files again, after a test has changed one.
func reseal(_ place: TemporaryDirectory, _ name: String) throws {
  let directory = try CallerIDFolder(place / name)
  var sums: [UInt8] = []
  for file in directory.names.dropFirst(2) {
    sums += FileSum(name: file, sha256: sha256(place.read("\(name)/\(file)") ?? [])).line
  }
  try place.write("\(name)/\(CallerIDManifest.sumsName)", sums)
  var manifest = directory.manifest
  manifest.contentID = Hexadecimal.text(sha256(sums))
  try place.write("\(name)/\(CallerIDManifest.fileName)", manifest.json)
}

private func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var hasher = SHA256Hasher()
  hasher.update(bytes.span)
  return hasher.digest
}
