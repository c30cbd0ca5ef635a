// The names of stages. Each stage declares its own, in its own folder.

/// The name of a stage: its command, and its key in a pipeline file.
package struct StageName: RawRepresentable, Hashable, Sendable {
  /// The name as users write it, such as `sort`.
  package let rawValue: String

  /// Makes a name.
  package init(rawValue: String) {
    self.rawValue = rawValue
  }
}
