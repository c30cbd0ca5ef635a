// Runs the program with Tests/FaultShim/fault_shim.c loaded into it: one of its calls on files fails, or it is killed
// before the call. Linux only, like LD_PRELOAD.

#if os(Linux)
  import TestSupport
  import Testing

  /// The compiled shim, in a workshop.
  struct FaultShim {
    /// The outcome of a run, and its calls as `FUNCTION PATH`, in order.
    struct Run {
      var outcome: Outcome
      var calls: [String]
    }

    private let path: String

    /// Compiles the shim. The C compiler is required: Swift links with it.
    init(in workshop: Workshop) async throws {
      path = workshop.path + "/fault_shim.so"
      let source = Program.root + "/Tests/FaultShim/fault_shim.c"
      let made = try await Program.run(
        "/usr/bin/env",
        ["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", path, source, "-ldl"],
        in: workshop)
      try #require(made.status == 0, "\(made.errors)")
    }

    /// Runs a command line of the program.
    ///
    /// - Parameters:
    ///   - fault: what happens, and when: `FAULT_SHIM_DO`; nil for nothing.
    ///   - path: counts only calls on paths that contain it.
    func run(
      _ command: String, _ fault: String? = nil, path wanted: String = "", in workshop: Workshop
    ) async throws -> Run {
      let log = workshop.path + "/calls"
      let variables = fault.map { "FAULT_SHIM_DO='\($0)' FAULT_SHIM_PATH='\(wanted)' " } ?? ""
      let outcome = try await Program.shell(
        "rm -f \(log); \(variables)FAULT_SHIM_CALLS=\(log) LD_PRELOAD=\(path) \(command)", in: workshop)
      let lines = Lines.split(String(decoding: (try? FileTree.read(log)) ?? [], as: UTF8.self))
      return Run(
        outcome: outcome,
        calls: lines.map { String($0.drop { $0 != " " }.dropFirst()) })
    }
  }
#endif
