// `cdpipe init`

import ArgumentParser
import Runner
import Records
import SystemIO
import SystemPackage

struct InitCommand: DocumentedCommand {
  /// The file that is written by default.
  private static let defaultFile = "cdpipe.yaml"

  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a pipeline file for some lists.",
    discussion: """
      Recognises the format, encoding, fields and country of each file or URL, as 'preview' does, and writes a pipeline \
      file with one source for each, comments, and an output. 'cdpipe run' runs the file as it is. Options apply to \
      all inputs.
      """)

  static let examples = [
    Example("Write cdpipe.yaml for a list, and run it", "cdpipe init list.csv && cdpipe run cdpipe.yaml"),
    Example("Write a file of another name for two lists", "cdpipe init -o two.yaml list.csv list.zip"),
    Example("Name what is not recognised", "cdpipe init --force --region CN numbers.txt"),
    Example("Print the pipeline file", "cdpipe init -o - objects.json"),
  ]

  @Argument(
    help: ArgumentHelp("The files and URLs, one source for each.", valueName: "file|url"), completion: .file()
  )
  var inputs: [String]

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE; '-' prints the file.", valueName: "file"), completion: .file())
  var output = Self.defaultFile

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var options: PreviewOptions

  func validate() throws {
    if inputs.contains(InputFile.standardInput) {
      throw ValidationError("standard input can't be read again by 'cdpipe run': name a file or a URL")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "init")
    let isPrinted = output == OutputFile.standardOutput
    if OutputNames.isRead(output, by: inputs) {
      throw diagnostics.end(UserMessage("'\(output)' is an input, and would be replaced"), ExitStatus.usage)
    }
    try OutputNames.check([output], diagnostics)
    if !isPrinted, !force, SymbolicLink.exists(output) {
      throw diagnostics.end(InitMessages.exists(output), ExitStatus.of(.cannotCreate))
    }
    var names = SourceNames()
    var sources: [PipelineDraft.Source] = []
    for input in inputs {
      let preview = try options.preview(of: input, diagnostics)
      if !isPrinted {
        PreviewText.show(preview, rows: options.rows, diagnostics)
        StandardOutput.print()
      }
      let isURL = PreviewOptions.isURL(input)
      sources.append(
        PipelineDraft.Source(
          name: names.name(for: preview.name), isURL: isURL, location: isURL ? input : location(of: input),
          unzip: options.unzip.options(), preview: preview))
    }
    let draft = PipelineDraft(sources, file: output)
    if isPrinted { return StandardOutput.print(draft.text, terminator: "") }
    try write(draft.text, diagnostics)
    for source in sources where source.preview.region.certainty == .undecided {
      diagnostics.warn(InitMessages.noRegion(source.name, file: output))
    }
    StandardOutput.print(InitMessages.written(output))
  }

  private func write(_ text: String, _ diagnostics: Diagnostics) throws {
    do throws(SystemError) {
      var file = try OutputFile(output)
      try file.write(Array(text.utf8).span)
      try file.publish()
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
  }

  /// The path of an input, relative to the directory of the pipeline file.
  private func location(of input: String) -> String {
    let path = FilePath(input)
    let folder = FilePath(output).removingLastComponent()
    if path.isAbsolute || folder.isEmpty || output == OutputFile.standardOutput { return input }
    let from = Array(FilePath(SymbolicLink.resolved(folder.string)).components)
    let to = Array(FilePath(SymbolicLink.resolved(input)).components)
    let common = zip(from, to).prefix { $0 == $1 }.count
    let steps = Array(repeating: "..", count: from.count - common) + to.dropFirst(common).map(\.string)
    return steps.joined(separator: "/")
  }
}

/// The names of sources, made of the names of files.
struct SourceNames {
  private var used: Set<String> = []

  /// A name for an input: the last part of its path, up to the first dot, with a number if the name is in use.
  mutating func name(for input: String) -> String {
    let last = input.split(separator: "/").last ?? ""
    var name = ""
    for scalar in last.prefix(while: { $0 != "." && $0 != "?" }).unicodeScalars {
      let isKept = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
      name.unicodeScalars.append(isKept ? scalar : "-")
    }
    name = name.split(separator: "-").joined(separator: "-")
    if name.isEmpty { name = "list" }
    var unique = name
    var number = 2
    while !used.insert(unique).inserted {
      unique = "\(name)-\(number)"
      number += 1
    }
    return unique
  }
}
