// An extension in a process of its own that loads a supply: how it is started, and what it does.
//
// What it is to load stands in its arguments: a process that iOS starts for an extension gets nothing either, and finds its
// files by itself.

#if os(Linux)

  public import CallDirectory
  public import SimulatedPhone

  extension SupplyExtension {
    /// The extension in a process of its own.
    ///
    /// - Parameter program: a program that begins with ``runIfRequested()``.
    /// - Parameter privateBytesMax: the most memory that it may hold; nil for no limit.
    public static func child(
      _ supply: DirectorySupply, program: String, privateBytesMax: Int?
    ) -> ExtensionProgram {
      let arguments = [supply.store, supply.record, "\(supply.additionsMax)"] + supply.deltas
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
      var supply = DirectorySupply(
        store: arguments[arguments.startIndex], deltas: Array(arguments.dropFirst(3)),
        record: arguments[arguments.startIndex + 1])
      supply.additionsMax = additionsMax
      let request = child.request
      request.onFailure { [supply] _ in supply.requestFailed() }
      request.load(supply)
      // The process stays until the phone has said how the request ended.
      request.life.wait()
      return true
    }
  }

#endif
