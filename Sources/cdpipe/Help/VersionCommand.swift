// `cdpipe version`

import InputStages
import ArgumentParser
import CallDeltaReader
import CallManifest
import CallStoreFormat
import MessageRules
import Runner
import SystemIO
import Records

struct VersionCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Show the versions of the program and its formats, for bug reports.",
    discussion: """
      Lists the versions of the formats that this program writes, and whether the libraries can be opened that some \
      commands need. 'cdpipe --version' prints only the version of the program.
      """)

  static let examples = [
    Example("Show what a bug report should contain", "cdpipe version"),
    Example("Save it as JSON", "cdpipe version --json > version.json"),
    Example("Print the version of the store format", "cdpipe version | grep 'store format'"),
  ]

  @Flag(help: "Print a JSON object.")
  var json = false

  /// The JSON form.
  private struct ProgramDescription: Encodable {
    struct Formats: Encodable {
      var store = Int(HeadLayout.version)
      var delta = Int(DeltaLayout.version)
      var manifest = Manifest.version
      var rules = Int(RulesLayout.version)
      var report = RunReport.version
    }
    struct Library: Encodable {
      var name: String
      var command: String
      var isUsable: Bool
      var isOptional: Bool?
    }

    var version = ProgramVersion.current
    var formats = Formats()
    var libraries = ([RuntimeLibrary.curl, .zip, .expat, .sqlite, .uchardet] + RuntimeLibrary.signing).map {
      Library(
        name: $0.name, command: $0.command, isUsable: $0.isUsable, isOptional: $0.isOptional ? true : nil)
    }
  }

  func run() throws {
    let description = ProgramDescription()
    if json { return StandardOutput.print(JSONLine.text(description)) }
    StandardOutput.print("cdpipe \(description.version)")
    let formats = description.formats
    for (name, version) in [
      ("store format", formats.store), ("delta format", formats.delta), ("manifest", formats.manifest),
      ("compiled rules", formats.rules), ("report", formats.report),
    ] {
      StandardOutput.print(name.padding(to: 17) + "\(version)")
    }
    for library in description.libraries {
      let use = library.isOptional == true ? "optional for" : "needed by"
      let state = library.isUsable ? "usable" : "missing, \(use) '\(library.command)'"
      StandardOutput.print(library.name.padding(to: 17) + state)
    }
  }
}
