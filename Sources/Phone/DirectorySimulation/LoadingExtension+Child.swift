// An extension that loads its files in its own process: starting it, and its main function.
//
// The files to load are in its arguments. iOS does not pass anything to an extension's process either; it finds its
// files itself.

#if os(Linux)

  public import CallDirectory
  public import SimulatedPhone

  extension LoadingExtension {
    /// Returns the program of an extension in its own process.
    ///
    /// - Parameter program: a program whose main function starts with ``runIfRequested()``.
    /// - Parameter privateBytesMax: the maximum private memory of the process in bytes; nil for no limit.
    public static func child(
      _ files: ExtensionFiles, program: String, privateBytesMax: Int?
    ) -> ExtensionProgram {
      let arguments = [files.store, files.record, "\(files.additionsMax)"] + files.deltas
      return .child(ChildProgram(path: program, arguments: arguments, privateBytesMax: privateBytesMax))
    }

    /// If this process was started as an extension, loads its files and returns true; the process should end then.
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
      // Stay until the phone has reported the result of the request.
      request.life.wait()
      return true
    }
  }

#endif
