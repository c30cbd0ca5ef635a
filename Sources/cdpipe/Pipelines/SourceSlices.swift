// The plan of the slices of a source's file, as JSON: one process makes it, and each of several others reads one slice.
//
// Not for: where an input can be divided (ParseStage).

import ArgumentParser
import Hashing
import FoundationEssentials
import InputStages
import Runner
import Records
import SystemIO

/// The slices of a source's file.
struct SourceSlices: Codable {
  static let format = "cdpipe-slices"
  /// The maximum number of slices.
  static let slicesMax = 10_000
  /// The minimum size of a slice in bytes: the head of the file is read before each of them.
  static let sliceBytesMin = 128 << 10
  /// The maximum size of a plan in bytes.
  private static let bytesMax = 4 << 20

  var format = Self.format
  var version = 1
  /// The source's name.
  var source: String
  /// The size and hash of the file; nil if it can't be divided.
  var bytes: UInt64?
  var sha256: String?
  /// The size of the head, which is read before each slice but the first one.
  var headBytes: UInt64?
  /// The number of slices; 1 if the file can't be divided.
  var count: Int
  /// Where the slices start, and where the last one ends; empty if the file can't be divided.
  var boundaries: [InputBoundary] = []
  /// The SHA-256 of the plan that was read, in hexadecimal digits.
  private(set) var hash = ""

  private enum CodingKeys: CodingKey {
    case format, version, source, bytes, sha256, headBytes, count, boundaries
  }

  /// A source that can't be divided.
  init(undivided source: String) {
    self.source = source
    count = 1
  }

  /// Reads a plan. Prints why it can't be read, and throws the exit status.
  init(_ path: String, source: String, _ diagnostics: Diagnostics) throws {
    let text: [UInt8]
    do throws(SystemError) {
      text = try InputFile.bytes(of: path, limit: Self.bytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    guard text.count <= Self.bytesMax,
      let plan = try? JSONDecoder().decode(SourceSlices.self, from: Data(text)), plan.isValid
    else { throw diagnostics.end(RunPartMessages.notAPlan(path), ExitStatus.badData) }
    guard plan.source == source else {
      throw diagnostics.end(
        RunPartMessages.otherSource(path, plan.source, expected: source), ExitStatus.badData)
    }
    self = plan
    hash = SHA256Hasher.hex(of: String(decoding: text, as: UTF8.self))
  }

  private var isValid: Bool {
    guard format == Self.format, version == 1, count >= 1 else { return false }
    if boundaries.isEmpty { return count == 1 }
    guard let bytes, let headBytes, sha256.flatMap(Hexadecimal.sha256) != nil, bytes <= Int64.max else {
      return false
    }
    return boundaries.count == count + 1 && boundaries[0] == InputBoundary(byte: 0, line: 1, row: 1)
      && boundaries[count].byte == bytes && (count == 1 || headBytes <= boundaries[1].byte)
      && zip(boundaries, boundaries.dropFirst()).allSatisfy {
        $0.byte < $1.byte && 1 <= $0.line && $0.line <= $1.line && 1 <= $0.row && $0.row <= $1.row
      }
  }

  /// Restricts a source to a slice, the first of which is 1.
  func restrict(_ source: inout Pipeline.Source, toSlice number: Int) {
    guard boundaries.count > 1, let bytes, let headBytes, let sha256 = sha256.flatMap(Hexadecimal.sha256),
      let parse = source.stages.firstIndex(where: { $0 is ParsePlan }),
      var plan = source.stages[parse] as? ParsePlan
    else { return }
    let (start, end) = (boundaries[number - 1], boundaries[number])
    let head = number == 1 ? 0 : headBytes
    plan.slice = InputSlice(headBytes: head, start: start, end: end)
    source.stages[parse] = plan
    source.slice = Pipeline.FileSlice(
      headBytes: head, bytes: start.byte..<end.byte, file: (bytes, sha256))
  }
}
