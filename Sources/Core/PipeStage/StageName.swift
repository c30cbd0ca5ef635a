// The names of stages. Each stage declares its own, in its own folder.

/// The name of a stage: its command, and its key in a pipeline file.
public struct StageName: RawRepresentable, Hashable, Sendable {
  /// The name as users write it, such as `sort`.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}
