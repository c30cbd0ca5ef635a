// What is to be run: where the bytes come from, the stages in order with their options, where the text goes.
//
// Plain data; the same for one filter, a pipe typed by a user, and a pipeline file.

public import DedupeStage
public import DownloadStage
public import EmitStage
public import GenerateStage
public import NormalizeStage
public import ParseStage
public import PipeStage
public import SetStage
public import SortStage
public import UnzipStage

/// A stage and its options.
public enum StagePlan: Sendable {
  /// Patterns to records.
  case generate(GenerateOptions)
  /// Archive to bytes.
  case unzip(UnzipOptions)
  /// Bytes to raw rows.
  case parse(ParseOptions)
  /// Raw rows to records.
  case normalize(NormalizeOptions)
  /// Records in order.
  case sort(SortOptions)
  /// Records disjoint.
  case dedupe(DedupeOptions)
  /// Records of several lists to records.
  case combine(SetOptions)
  /// Records to one or several outputs.
  case emit([EmitOptions])

  /// What flows between stages.
  public enum Flow: String, Sendable {
    /// Bytes of any kind.
    case bytes
    /// Raw rows; between processes, in their text form.
    case rawRows = "raw rows"
    /// Records; between processes, in their text form.
    case records
    /// Nothing: the stage writes files of its own, or reads none.
    case nothing
  }

  /// The stage's name.
  public var name: StageName {
    switch self {
    case .generate: .generate
    case .unzip: .unzip
    case .parse: .parse
    case .normalize: .normalize
    case .sort: .sort
    case .dedupe: .dedupe
    case .combine(let options):
      switch options.operation {
      case .union: .union
      case .merge: .sort
      case .subtract: .subtract
      case .intersect: .intersect
      }
    case .emit: .emit
    }
  }

  /// What the stage takes.
  public var takes: Flow {
    switch self {
    case .generate: .nothing
    case .unzip, .parse: .bytes
    case .normalize: .rawRows
    case .sort, .dedupe, .combine, .emit: .records
    }
  }

  /// What the stage gives.
  public var gives: Flow {
    switch self {
    case .unzip: .bytes
    case .parse: .rawRows
    case .generate, .normalize, .sort, .dedupe, .combine: .records
    case .emit: .nothing
    }
  }
}

extension StagePlan {
  /// The stage with the list called `-` coming from the stage before it; nil when it has none, or not where the stage
  /// can take it: `subtract` and `intersect` take their first list so, a union and a merge any.
  public var fed: StagePlan? {
    guard case .combine(var options) = self else { return nil }
    guard let place = options.lists.firstIndex(of: SetOptions.standardInput),
      place == 0 || options.operation == .union || options.operation == .merge
    else { return nil }
    options.fed = place
    return .combine(options)
  }
}

/// What is to be run.
public struct Pipeline: Sendable {
  /// Where bytes come from.
  public enum Input: Sendable {
    /// Files in order; `-` is standard input.
    case files([String])
    /// Resources that the download stage fetches.
    case download(DownloadOptions)
    /// None: the first stage makes its records, or opens its lists itself.
    case nothing
  }

  /// One source, and the stages that only its bytes go through.
  public struct Source: Sendable {
    /// What the source is called.
    public var name: String
    /// Where its bytes come from.
    public var input: Input
    /// Its own stages.
    public var stages: [StagePlan]
    /// What messages call its bytes in place of the file they are in.
    public var shownAs: String?
    /// What its rows must be like for the run to end well.
    public var checks = SourceChecks()

    /// Makes a source.
    public init(name: String = "", input: Input, stages: [StagePlan] = []) {
      self.name = name
      self.input = input
      self.stages = stages
    }
  }

  /// The sources, one after another.
  public var sources: [Source]
  /// The stages that all of them go through together.
  public var stages: [StagePlan]
  /// Where the text of the last stage goes, unless that is emit; `-` is standard output.
  public var output: String
  /// With 1 everything happens in one thread; with more, stages overlap.
  public var threads: Int
  /// Whether a manifest says where the records came from. A pipe's filters don't know it, so a pipe that is run in one
  /// process does not say it either.
  public var tellsSources = false

  /// Makes a pipeline.
  public init(sources: [Source], stages: [StagePlan], output: String = "-", threads: Int = 1) {
    self.sources = sources
    self.stages = stages
    self.output = output
    self.threads = threads
  }
}

extension Pipeline.Input {
  /// The files that are read.
  public var paths: [String] {
    switch self {
    case .files(let paths): paths
    case .download, .nothing: []
    }
  }
}

extension Pipeline {
  /// What a manifest says of the sources: nothing, their names, or their hashes too.
  var provenance: (isTold: Bool, hasHashes: Bool) {
    let outputs = stages.flatMap { (stage) -> [EmitOptions] in
      if case .emit(let options) = stage { options.filter(\.isDirectory) } else { [] }
    }
    return (
      tellsSources && !outputs.isEmpty,
      tellsSources && outputs.contains { !$0.shards.leavesOutSourceHashes }
    )
  }

  /// The files of decisions that the pipeline writes, as they were named.
  public var conflicts: [String] {
    stages.compactMap { stage in
      if case .dedupe(let options) = stage { options.conflictsPath } else { nil }
    }
  }

  /// The label maps that the pipeline reads, as they were named.
  public var labelMaps: [String] {
    stages.compactMap { stage in
      if case .dedupe(let options) = stage { options.labelMapPath } else { nil }
    }
  }

  /// The files that stages read besides the sources' own, as they were named.
  public var lists: [String] {
    (sources.flatMap(\.stages) + stages).flatMap { stage -> [String] in
      switch stage {
      case .combine(let options): options.lists
      case .generate(let options): options.patternFile.map { [$0] } ?? []
      default: []
      }
    }
  }

  /// The files that the pipeline writes, as they were named; `-` for standard output.
  public var outputs: [String] {
    // Where the last stage writes its own files, nothing comes out behind it.
    let last = stages.last ?? sources.last?.stages.last
    var paths = last?.gives == .nothing ? [] : [output]
    for stage in sources.flatMap(\.stages) + stages {
      switch stage {
      case .dedupe(let options): paths += options.conflictsPath.map { [$0] } ?? []
      case .emit(let options): paths += options.map(\.output)
      case .generate, .unzip, .parse, .normalize, .sort, .combine: break
      }
    }
    return paths
  }
}

/// Why a pipeline can't run, or can't go on.
public enum PipelineError: ErrorCause {
  /// A stage takes something else than the one before it gives.
  case mismatch(StageName, takes: StagePlan.Flow, after: StageName, gives: StagePlan.Flow)
  /// A file ended before the size that it had when it was opened: somebody cut or rewrote it meanwhile.
  case inputShrank(path: String, read: UInt64, size: UInt64)

  /// It was asked for in a way that can't be, or an input went wrong.
  public var errorClass: ErrorClass {
    switch self {
    case .mismatch: .usage
    case .inputShrank: .inputOutput
    }
  }
}
