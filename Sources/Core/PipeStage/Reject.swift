// Pieces of input that could not be used. Each is counted, the first few are shown, all can be kept in a file.

import CallRecord
import Synchronization
public import SystemIO

/// Where in its input a reject stood.
public enum InputLocation: Equatable, Sendable {
  /// The line of the text form, or the row of the stream, which are the same; the first is 1.
  case row(UInt64)
  /// A line and a byte offset in a named input; the first line is 1, the first byte 0.
  case line(UInt64, byte: UInt64, input: String)
}

/// Why a piece of input was rejected: a stage's own closed enum.
public protocol RejectReason: Sendable {
  /// A stable word for scripts, such as `too-short`.
  var code: String { get }
}

/// A piece of input that could not be used.
public struct Reject: Sendable {
  /// The most bytes of the rejected text that are kept.
  public static let textBytesMax = 256

  /// The stage that rejected it.
  public var stage: StageName
  /// Where it stood.
  public var place: InputLocation
  /// Why.
  public var reason: any RejectReason
  /// The text, or its beginning.
  public var text: [UInt8]

  /// Makes a reject; a text over ``textBytesMax`` is cut.
  public init(_ stage: StageName, _ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) {
    self.stage = stage
    self.place = place
    self.reason = reason
    self.text = []
    for index in 0..<min(text.count, Self.textBytesMax) { self.text.append(text[index]) }
  }
}

/// What the rejects do to a run.
public struct RejectPolicy: Sendable {
  /// How many are too many.
  public enum Limit: Equatable, Sendable {
    /// More than so many.
    case count(UInt64)
    /// More than so many in a hundred of what came in.
    case percent(Double)
  }

  /// Whether the first one ends the run.
  public var isStrict = false
  /// How many are too many; nil for no limit.
  public var limit: Limit?
  /// The file that all are written to, or nil.
  public var path: String?

  /// Makes a policy; without arguments every reject is counted and none ends the run.
  public init(isStrict: Bool = false, limit: Limit? = nil, path: String? = nil) {
    self.isStrict = isStrict
    self.limit = limit
    self.path = path
  }
}

/// Why a run's rejects ended it.
public enum RejectLimitError: ErrorCause {
  /// The first reject of a strict run.
  case strict(Reject)
  /// More than the limit allows.
  case tooMany(count: UInt64, of: UInt64, limit: RejectPolicy.Limit)
  /// Something came in and every piece of it was rejected; all that came from one source, if that has a name here.
  case nothingUsable(count: UInt64, source: String)

  /// Bad data, all of them.
  public var errorClass: ErrorClass { .badData }
}

/// Takes the rejects of all the stages of a run; any thread may call it.
public final class RejectLog: Sendable {
  private struct State: ~Copyable {
    var count: UInt64 = 0
    var file: OutputFile?
  }

  private let policy: RejectPolicy
  private let observe: @Sendable (Reject, _ ordinal: UInt64) -> Void
  private let state: Mutex<State>

  /// Makes a log. `observe` gets every reject, in the order of their counting, and is never called by two
  /// threads at once.
  public init(
    policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls(),
    observe: @escaping @Sendable (Reject, _ ordinal: UInt64) -> Void = { _, _ in }
  ) throws(StageError) {
    self.policy = policy
    self.observe = observe
    var file: OutputFile?
    if let path = policy.path {
      file = try asStageError(nil) { () throws(SystemError) in try OutputFile(path, calls: calls) }
    }
    state = Mutex(State(file: file))
  }

  /// How many there were so far.
  public var count: UInt64 { state.withLock { $0.count } }

  /// Counts one, keeps it in the file, and ends the run when the policy says so.
  public func add(_ reject: Reject) throws(StageError) {
    try state.withLock { (state) throws(StageError) in
      state.count += 1
      if var file = state.file.take() {
        var line: [UInt8] = []
        Self.appendLine(reject, to: &line)
        try asStageError(reject.stage) { () throws(SystemError) in try file.write(line.span) }
        state.file = consume file
      }
      if policy.isStrict { throw StageError(reject.stage, RejectLimitError.strict(reject)) }
      observe(reject, state.count)
      if case .count(let most) = policy.limit, state.count > most {
        throw StageError(
          reject.stage, RejectLimitError.tooMany(count: state.count, of: 0, limit: .count(most)))
      }
    }
  }

  /// Throws when the rejects are too many of the `inputs` pieces that came in, or all of them.
  public func check(stage: StageName?, inputs: UInt64) throws(StageError) {
    let count = self.count
    if case .percent(let most) = policy.limit, count > 0,
      Double(count) * 100 > most * Double(max(inputs, count))
    {
      throw StageError(stage, RejectLimitError.tooMany(count: count, of: inputs, limit: .percent(most)))
    }
    if count > 0, count >= inputs {
      throw StageError(stage, RejectLimitError.nothingUsable(count: count, source: ""))
    }
  }

  /// Gives the file its name, also after a run that failed: what was rejected until then is worth reading.
  public func publish() throws(StageError) {
    try state.withLock { (state) throws(StageError) in
      guard let file = state.file.take() else { return }
      do throws(SystemError) {
        try file.publish(durably: false)
      } catch {
        throw StageError(nil, error)
      }
    }
  }

  /// `stage TAB place TAB reason TAB text`, escaped as the text form is; bytes that are no UTF-8 become U+FFFD.
  private static func appendLine(_ reject: Reject, to line: inout [UInt8]) {
    line.append(contentsOf: reject.stage.rawValue.utf8)
    line.append(UInt8(ascii: "\t"))
    switch reject.place {
    case .row(let row):
      line.append(contentsOf: "row \(row)".utf8)
    case .line(let number, let byte, let input):
      line.append(
        contentsOf: RecordFields.bytes(RecordFields.Fields(label: "\(input):\(number) byte \(byte)")))
    }
    line.append(UInt8(ascii: "\t"))
    line.append(contentsOf: reject.reason.code.utf8)
    line.append(UInt8(ascii: "\t"))
    line.append(
      contentsOf: RecordFields.bytes(RecordFields.Fields(label: String(decoding: reject.text, as: UTF8.self)))
    )
    line.append(UInt8(ascii: "\n"))
  }
}
