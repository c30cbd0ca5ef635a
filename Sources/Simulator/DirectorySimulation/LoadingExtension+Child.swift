// An extension in a process of its own that loads its files: how it is started, and what it does.
//
// What it is to load stands in its arguments: a process that iOS starts for an extension gets nothing either, and finds its
// files by itself.

#if os(Linux)

  public import CallDirectory
  public import SimulatedPhone

  extension LoadingExtension {
    /// The extension in a process of its own.
    ///
    /// - Parameter program: a program that begins with ``runIfRequested()``.
    /// - Parameter privateBytesMax: the most memory that it may hold; nil for no limit.
    public static func child(
      _ files: ExtensionFiles, program: String, privateBytesMax: Int?
    ) -> ExtensionProgram {
      let arguments = [files.store, files.record, "\(files.additionsMax)"] + files.deltas
      return .child(ChildProgram(path: program, arguments: arguments, privateBytesMax: privateBytesMax))
    }

    /// Loads what this process was started for, if it was started as an extension. Returns whether it was; then it is to
    /// end.
    public static func runIfRequested() -> Bool {
      guard let child = ChildExtension.current() else { return false }
      let arguments = CommandLine.arguments.dropFirst()
      guard arguments.count >= 3, let additionsMax = Int(arguments[arguments.startIndex + 2]) else {
        return true
      }
      var files = ExtensionFiles(
        store: arguments[arguments.startIndex], deltas: Array(arguments.dropFirst(3)),
        record: arguments[arguments.startIndex + 1])
      files.additionsMax = additionsMax
      let request = child.request
      request.onFailure { [files] _ in files.requestFailed() }
      request.load(files)
      // The process stays until the phone has said how the request ended.
      request.life.wait()
      return true
    }
  }

#endif
