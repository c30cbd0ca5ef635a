// `cdpipe scaffold`

public import ArgumentParser
import EmitStage
import PipeStage
public import ProjectScaffold
import SystemIO
import SystemPackage

extension ProjectManager: ExpressibleByArgument {}

struct ScaffoldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaffold", abstract: "Make a project for Xcode: an app with Call Directory extensions.",
    discussion: """
      Writes the description that Tuist or XcodeGen makes an Xcode project of, Swift sources, Info.plists, entitlements \
      with an app group, and a README with the next steps. All extensions have one source, and each loads the shard of \
      its own number:

        cdpipe generate '+82 70 XXXX XXXX' --exclude '*000*' \\
          | cdpipe emit --format store --block '*' --shards 51 -o stores
        cdpipe scaffold --name Block070 --extensions 51 --bundle-id com.example.block070 \\
          --manager xcodegen --stores stores -o Block070

      The same options give the same files. What is in DIR already stays, but for the project's own files.
      """)

  @Option(help: ArgumentHelp("The app's name: letters and digits.", valueName: "name"))
  var name: String

  @Option(
    name: [.customLong("bundle-id")],
    help: ArgumentHelp(
      "The app's bundle identifier; the extensions' are this with .directory1 and so on behind.",
      valueName: "identifier"))
  var bundleIdentifier: String

  @Option(help: ArgumentHelp("How many extensions the app has: one for each shard.", valueName: "n"))
  var extensions = 1

  @Option(help: ArgumentHelp("What makes the Xcode project.", valueName: "program"))
  var manager: ProjectManager

  @Option(
    help: ArgumentHelp(
      "Copy the stores of a directory of shards, as emit writes them, into the project.", valueName: "dir"))
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "Where the project finds the package cdpipe: a path from its own folder, or a URL.", valueName: "place")
  )
  var package = "../cdpipe"

  @Flag(help: "Write into a directory that is not empty, and replace the project's files there.")
  var force = false

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The project's directory, which is made.", valueName: "dir"))
  var output: String

  func validate() throws {
    do throws(ScaffoldFailure) {
      _ = try plan()
    } catch {
      throw ValidationError(ScaffoldWording.message(error))
    }
    if output == OutputFile.standardOutput { throw ValidationError("-o takes a directory") }
  }

  func run() throws {
    Interruption.cleanUp()
    let voice = Voice(command: "scaffold")
    let plan = try plan()
    do throws(PipeFailure) {
      let shards = try published()
      if let surplus = shards.first(where: { $0.id > plan.extensions }) {
        throw PipeFailure(nil, ScaffoldWriting.noExtension(shard: surplus.id, extensions: plan.extensions))
      }
      try write(plan, shards)
    } catch {
      throw voice.end(error)
    }
  }

  private func plan() throws(ScaffoldFailure) -> ScaffoldPlan {
    try ScaffoldPlan(
      name: name, bundleIdentifier: bundleIdentifier, extensions: extensions, manager: manager,
      package: package)
  }

  private func published() throws(PipeFailure) -> [ShardDirectory.Shard] {
    guard let stores else { return [] }
    do throws(ManifestFailure) {
      return try ShardDirectory(stores).shards
    } catch {
      throw PipeFailure(nil, ScaffoldWriting.stores(error))
    }
  }

  private func write(_ plan: ScaffoldPlan, _ shards: [ShardDirectory.Shard]) throws(PipeFailure) {
    do throws(SystemFailure) {
      try Directory.make(output)
      let present = try Directory.names(output)
      guard present.isEmpty || force else { throw SystemFailure(.createOutput, output, .directoryNotEmpty) }
      for file in plan.files {
        let path = FilePath(output).appending(file.path)
        try Directory.make(path.removingLastComponent().string)
        var written = try OutputFile(path.string)
        try written.write(ContiguousArray(file.text.utf8).span)
        try written.publish(durably: false)
      }
      if !shards.isEmpty { try copy(shards, to: FilePath(output).appending(ScaffoldPlan.storesFolder)) }
    } catch {
      if error.code == .directoryNotEmpty {
        throw PipeFailure(nil, ScaffoldWriting.notEmpty(path: output))
      }
      throw PipeFailure(nil, error)
    }
  }

  /// Copies the stores, and then removes those of a former state: an extension takes the one that it finds.
  private func copy(_ shards: [ShardDirectory.Shard], to folder: FilePath) throws(SystemFailure) {
    let names = shards.map { FilePath($0.store).lastComponent?.string ?? "" }
    for (shard, name) in zip(shards, names) {
      var source = try InputFile(shard.store)
      var copy = try OutputFile(folder.appending(name).string)
      var chunk = ByteChunk(capacity: Self.copiedBytesMax)
      while try source.read(into: &chunk) > 0 {
        try copy.write(chunk)
        chunk.removeAll()
      }
      try copy.publish(durably: false)
    }
    for former in try Directory.names(folder.string)
    where Self.isShard(former) && !names.contains(former) {
      do throws(Errno) {
        try KernelCalls().unlink(folder.appending(former))
      } catch {
        throw SystemFailure(.publishOutput, folder.appending(former).string, error)
      }
    }
  }

  /// So much of a store is in memory at a time.
  private static let copiedBytesMax = 1 << 18

  /// Whether a file is named as `emit` names shards, `0001-….cdstore`. Others are the user's own.
  private static func isShard(_ name: String) -> Bool {
    let id = name.utf8.prefix { $0 != UInt8(ascii: "-") }
    return id.count == 4 && Int(name.prefix(4)) != nil && name.hasSuffix(".cdstore")
  }
}

/// Why a project can't be written.
enum ScaffoldWriting: FailureCause {
  /// The directory has something in it.
  case notEmpty(path: String)
  /// A shard is for an extension that the app does not have.
  case noExtension(shard: Int, extensions: Int)
  /// The directory of shards can't be read.
  case stores(ManifestFailure)

  var failureClass: FailureClass {
    switch self {
    case .notEmpty: .cannotCreate
    case .noExtension: .badData
    case .stores(let failure): failure.failureClass
    }
  }
}
