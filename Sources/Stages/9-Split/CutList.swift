// Reads cuts from a text, or from the manifest of a directory of shards.

package import Records
import StoreWriting
package import SystemIO

/// Reads the numbers at which a list is cut.
package enum CutList {
  /// Reads the cuts in a file: a text with one number per line, ascending, or a manifest, whose cuts are the first
  /// numbers of its shards except the first one. A directory of shards stands for its manifest, `-` for standard input.
  ///
  /// - Complexity: O(bytes).
  package static func read(
    _ file: String, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> [UInt64] {
    let input: ListInput
    do throws(ShardDirectoryError) {
      input = try ListInput(file, calls: calls)
    } catch {
      throw Failure(.split, error)
    }
    switch input {
    case .shards(let directory): return directory.shards.dropFirst().map(\.from)
    // Its shards are not ranges of numbers.
    case .lookup: throw Failure(.split, ShardDirectoryError.notShards(path: file))
    case .file: return try readText(file, calls)
    }
  }

  private static func readText(_ file: String, _ calls: any SystemCalls) throws(Failure) -> [UInt64] {
    var cuts: [UInt64] = []
    var lines = try LineBlocks(file, .split, calls: calls)
    while try lines.advance() {
      guard let cut = Decimal.read(lines.line, from: 0, to: lines.line.count),
        cut.end == lines.line.count
      else {
        throw Failure(
          .split, SplitError.cutNotANumber(file: file, line: lines.number, text: lines.quotation))
      }
      if let previous = cuts.last, cut.value <= previous {
        throw Failure(
          .split,
          SplitError.cutNotAscending(file: file, line: lines.number, previous: previous, cut: cut.value))
      }
      cuts.append(cut.value)
      if cuts.count >= CutPlan.partsMax {
        throw Failure(.split, SplitError.tooManyCuts(file: file, limit: CutPlan.partsMax - 1))
      }
    }
    return cuts
  }
}
