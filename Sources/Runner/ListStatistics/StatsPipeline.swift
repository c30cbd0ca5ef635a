// The pipeline of `cdpipe stats`: recognises what each input contains, and chooses the stages that turn it into records.

package import Records
import RecordStages
import StoreWriting
package import SystemIO
import SystemPackage

/// Creates pipelines that count records.
package enum StatsPipeline {
  /// Creates the pipeline that counts the records of all inputs: stores, directories of shards, records in the text
  /// form, or raw rows.
  ///
  /// Reads the beginning of each input, which may wait for a pipe's writer.
  ///
  /// - Parameters:
  ///   - inputs: the inputs as the user named them; `-` is standard input.
  ///   - statistics: receives the counts.
  ///   - rawStages: the stages that turn raw rows into records.
  ///   - isRaw: whether text consists of raw rows, even if it looks like records.
  package static func pipeline(
    _ inputs: [String], _ statistics: ListStatistics, rawStages: [any StagePlan], isRaw: Bool, threads: Int,
    calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> Pipeline {
    var sources: [Pipeline.Source] = []
    for path in inputs {
      var source = try source(path, rawStages, isRaw: isRaw, calls)
      // The sources of a run have names if there are several.
      if inputs.count > 1 { source.name = path }
      sources.append(source)
    }
    return Pipeline(sources: sources, stages: [StatsPlan(statistics)], threads: threads)
  }

  private static func source(
    _ path: String, _ rawStages: [any StagePlan], isRaw: Bool, _ calls: any SystemCalls
  ) throws(Failure) -> Pipeline.Source {
    if let source = try directory(path, calls) { return source }
    // A file can be read again, anything else can't.
    if path != InputFile.standardInput, FileKind(of: FilePath(path), calls: calls) == .regular {
      let head = try asFailure(.stats) { () throws(SystemError) in
        try InputFile.bytes(of: path, limit: ListContent.headBytes, calls: calls)
      }
      let content = ListContent(head: head, isWhole: head.count <= ListContent.headBytes)
      return source(content, path, .files([path]), rawStages, isRaw: isRaw)
    }
    let (opened, content) = try OpenedInput.open(path, calls: calls)
    return source(content, path, .stage(opened), rawStages, isRaw: isRaw)
  }

  /// The source of a directory; nil for a file.
  private static func directory(
    _ path: String, _ calls: any SystemCalls
  ) throws(Failure) -> Pipeline.Source? {
    do throws(ShardDirectoryError) {
      switch try ListInput(path, calls: calls) {
      case .shards(let directory): return source(ofStores: try directory.checkHeaders())
      case .lookup(let directory):
        return Pipeline.Source(input: .nothing, stages: [LookupRecordsPlan(directory: directory)])
      case .file: return nil
      }
    } catch {
      throw Failure(.stats, error)
    }
  }

  private static func source(
    _ content: ListContent, _ path: String, _ input: Pipeline.Input, _ rawStages: [any StagePlan], isRaw: Bool
  ) -> Pipeline.Source {
    switch content {
    case .store: source(ofStores: [path])
    case .records where !isRaw: Pipeline.Source(input: input, stages: [TextRecordsPlan()])
    case .records, .rawRows: Pipeline.Source(input: input, stages: rawStages)
    }
  }

  private static func source(ofStores stores: [String]) -> Pipeline.Source {
    Pipeline.Source(input: .nothing, stages: [StoreRecordsPlan(stores: stores)])
  }
}

/// The content of a file, by its first bytes.
enum ListContent: Equatable {
  case store
  /// Records in the text form.
  case records
  /// Rows in any other form.
  case rawRows

  /// The number of bytes that are needed: two lines of the text form, or thousands of short ones.
  static let headBytes = 64 << 10
  /// The maximum number of lines that are checked.
  private static let linesMax = 16

  /// Recognises the content.
  ///
  /// - Parameters:
  ///   - head: the first bytes.
  ///   - isWhole: whether these are all bytes, so that the last line may lack a line feed.
  init(head: [UInt8], isWhole: Bool) {
    if head.starts(with: StoreRecords.magic) {
      self = .store
    } else if PackedRecordList.begins(head.span) {
      self = .records
    } else {
      self = Self.areRecords(head.span, isWhole: isWhole) ? .records : .rawRows
    }
  }

  /// Whether the first lines are records. No lines at all are a list without records.
  private static func areRecords(_ text: Span<UInt8>, isWhole: Bool) -> Bool {
    var batch = RecordBatch()
    var start = 0
    while start < text.count, batch.count < linesMax {
      let end = LineScan.lineFeed(in: text, from: start)
      // The first line must be complete.
      if end == text.count, !isWhole { return start > 0 }
      do throws(TextFormReject) {
        guard try batch.append(line: text.extracting(start..<end)) else { return true }
      } catch {
        return false
      }
      start = end + 1
    }
    return true
  }
}
