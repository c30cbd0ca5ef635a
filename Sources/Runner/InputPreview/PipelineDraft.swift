// The pipeline file that `cdpipe init` writes: the recognised settings of its sources with comments, an output, and what
// may be added.

package import InputStages
import NumberPlan
import RecordStages
import Records
import SystemIO
import SystemPackage

package struct PipelineDraft {
  private struct Source {
    var name: String
    /// Whether the location is a URL; otherwise it is a path, relative to the pipeline file.
    var isURL: Bool
    var location: String
    var unzip: UnzipOptions
    var preview: InputPreview
  }

  /// The schema of pipeline files, for editors that find a copy of it next to the file.
  package static let schema = "pipeline.schema.json"
  /// The directory that the stores are written to, relative to the pipeline file.
  package static let output = "stores"

  private static let commentColumn = 36

  private var sources: [Source] = []
  private let file: String
  private let emit: Emit?

  /// The output of a draft that has only one.
  package struct Emit {
    var path: String
    /// The keys of `emit`, and the texts of their values; none for a flag.
    var settings: [(key: String, values: [String])]

    package init(path: String, settings: [(key: String, values: [String])]) {
      self.path = path
      self.settings = settings
    }
  }

  /// Whether the pipeline is run, and not written: then it is the run that reports which sheets are not read.
  package var runsAtOnce = false

  /// Makes the draft of a file, whose path is `-` if it is printed. Without an output, it has stores, and lists what may be
  /// added.
  package init(file: String, emit: Emit? = nil) {
    self.file = file
    self.emit = emit
  }

  package static func isURL(_ input: String) -> Bool { input.contains("://") }

  /// What is known about the country of the source that was added last.
  package var lastRegion: (choice: RegionChoice, text: String)? {
    sources.last.map { ($0.preview.region, PreviewReport.region($0.preview.region)) }
  }

  /// The encoding of the source that was added last, if it was guessed.
  package var lastEncoding: String? {
    guard let preview = sources.last?.preview, preview.encoding.basis == .plausible else { return nil }
    return PreviewReport.encoding(preview)
  }

  /// The names of the sources whose country is not recognised, and what is known about it.
  package var undecided: [(source: String, text: String)] {
    sources.compactMap { source in
      let region = source.preview.region
      guard region.certainty == .undecided else { return nil }
      let isNamed = region.areTooFew || region.countryOfCodes != nil
      let text = isNamed ? PreviewReport.region(region) : "not recognised"
      return (source.name, "the country of the numbers is \(text)")
    }
  }

  /// Adds a source for an input.
  package mutating func add(_ input: String, _ unzip: UnzipOptions, _ preview: InputPreview) {
    let isURL = Self.isURL(input)
    sources.append(
      Source(
        name: name(for: preview.name), isURL: isURL, location: isURL ? input : location(of: input),
        unzip: unzip,
        preview: preview))
  }

  /// A name for an input: the last part of its path, up to the first dot, with a number if the name is in use.
  private func name(for input: String) -> String {
    let last = input.split(separator: "/").last ?? ""
    var name = ""
    for scalar in last.prefix(while: { $0 != "." && $0 != "?" }).unicodeScalars {
      let isKept = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
      name.unicodeScalars.append(isKept ? scalar : "-")
    }
    name = name.split(separator: "-").joined(separator: "-")
    if name.isEmpty { name = "list" }
    let used = Set(sources.map(\.name))
    let others = (2...).lazy.map { "\(name)-\($0)" }
    return used.contains(name) ? others.first { !used.contains($0) } ?? name : name
  }

  /// The path of an input, relative to the directory of the pipeline file.
  private func location(of input: String) -> String {
    let path = FilePath(input)
    let folder = FilePath(file).removingLastComponent()
    if path.isAbsolute || folder.isEmpty || file == "-" { return input }
    let from = Array(FilePath(SymbolicLink.resolved(folder.string)).components)
    let to = Array(FilePath(SymbolicLink.resolved(input)).components)
    let common = zip(from, to).prefix { $0 == $1 }.count
    let steps = Array(repeating: "..", count: from.count - common) + to.dropFirst(common).map(\.string)
    return steps.joined(separator: "/")
  }

  package var text: String {
    let name = file == "-" ? "FILE.yaml" : file
    var lines = [
      "# yaml-language-server: $schema=\(Self.schema)",
      "# For editors that complete keys: cdpipe run --schema > \(Self.shell(schemaPath))",
      "#",
      "# \(Self.run(name))",
      "# cdpipe run --check \(Self.shell(name))",
      "# cdpipe run --explain \(Self.shell(name))",
      "#",
      "# Paths are relative to this file. Every key of a stage is an option of its command: 'cdpipe parse --help'.",
      "",
      "sources:",
    ]
    for source in sources { lines += self.lines(source) }
    lines += emit.map(Self.ending) ?? Self.ending
    return lines.joined(separator: "\n") + "\n"
  }

  /// The path of the schema: next to the file.
  private var schemaPath: String {
    let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
    return folder + Self.schema
  }

  package static func run(_ file: String) -> String { "cdpipe run \(shell(file))" }

  private static func shell(_ file: String) -> String { ShellQuoting.quoted(file) }

  private static func ending(_ emit: Emit) -> [String] {
    ["", "emit:", "  - path: \(YAMLText.scalar(emit.path))"]
      + emit.settings.map { key, values in
        let texts = values.map(YAMLText.scalar)
        let value = texts.count > 1 ? "[\(texts.joined(separator: ", "))]" : texts.first ?? "true"
        return "    \(key): \(value)"
      }
  }

  private static var ending: [String] {
    [
      "",
      "# When several rows have the same number: keep the first, the last, the one with the highest score, …",
      "dedupe:",
      "  keep: first",
      "",
      "# Stores for a phone's extensions. Another output: { path: numbers.csv } or { path: numbers.cdstore }.",
      "emit:",
      "  - format: store",
      "    path: \(output)",
      commented("    # block: [\"spam*\"]", "block numbers with these labels; all others are only labelled"),
      "",
      "# To publish a new version every night, remove 'path: \(output)' above, and the # of the next lines.",
      "# publish:",
      "#   directory: public",
      commented("#   keep: 7", "versions"),
      commented("#   max-change: 20%", "do not publish a larger change"),
    ]
  }

  // MARK: Sources

  private func lines(_ source: Source) -> [String] {
    let preview = source.preview
    var lines = [
      Self.commented("  - name: \(YAMLText.scalar(source.name))", PreviewReport.rows(preview)),
      "    \(source.isURL ? "url" : "path"): \(YAMLText.scalar(source.location))",
    ]
    lines += Self.block("unzip", Self.unzip(source.unzip))
    lines += Self.block("parse", parse(preview), end: Self.others(preview))
    lines += Self.block("normalize", Self.normalize(preview.normalize))
    lines += Self.region(preview)
    return lines
  }

  private typealias KeyLine = (key: String, value: String, comment: String?)

  /// The keys of a stage; nothing if there are none.
  private static func block(_ stage: String, _ entries: [KeyLine], end: [String] = []) -> [String] {
    if entries.isEmpty { return end.map { "    " + $0 } }
    return ["    \(stage):"]
      + entries.map { commented("      \($0.key): \($0.value)", $0.comment) } + end.map { "      " + $0 }
  }

  private static func commented(_ line: String, _ comment: String?) -> String {
    guard let comment else { return line }
    let space = max(2, commentColumn - line.displayWidth)
    return line + String(repeating: " ", count: space) + "# " + PrintableText.line(comment)
  }

  private static func unzip(_ options: UnzipOptions) -> [KeyLine] {
    var entries: [KeyLine] = []
    if !options.entries.isEmpty {
      entries.append(("entry", "[" + options.entries.map(YAMLText.scalar).joined(separator: ", ") + "]", nil))
    }
    if options.unpacksNested { entries.append(("nested", "true", nil)) }
    if let file = options.passwordFile { entries.append(("password-file", YAMLText.scalar(file), nil)) }
    return entries
  }

  private func parse(_ preview: InputPreview) -> [KeyLine] {
    let options = preview.parse
    let defaults = ParseOptions()
    var entries: [KeyLine] = []
    if options.format != .auto {
      entries.append(("format", options.format.rawValue, PreviewReport.format(preview.layout)))
    }
    if let encoding = options.encoding {
      entries.append(("encoding", YAMLText.scalar(encoding), PreviewReport.encoding(preview)))
    }
    if let separator = options.separator {
      let text = separator == 0x09 ? "tab" : String(Character(Unicode.Scalar(separator)))
      entries.append(("separator", YAMLText.scalar(text), nil))
    }
    if options.header != .auto { entries.append(("header", YAMLText.scalar(options.header.rawValue), nil)) }
    for (key, field) in [
      ("number", options.numberField), ("label", options.labelField), ("source", options.sourceField),
      ("score", options.scoreField), ("date", options.dateField), ("last", options.lastField),
      ("country", options.countryField),
    ] {
      if let field { entries.append((key, YAMLText.scalar(field.text), nil)) }
    }
    entries += Self.dates(options.dates)
    if let sheet = options.sheet {
      entries.append(("sheet", YAMLText.scalar(sheet), nil))
    } else if !runsAtOnce, let sheet = preview.layout.sheet, !preview.layout.otherSheets.isEmpty {
      let others = preview.layout.otherSheets.joined(separator: ", ")
      entries.append(("sheet", YAMLText.scalar(sheet), "others: \(others)"))
    }
    if let query = options.query { entries.append(("query", YAMLText.scalar(query), nil)) }
    if options.querySeconds != defaults.querySeconds {
      entries.append(("query-timeout", Figures.plain(options.querySeconds), nil))
    }
    if options.recordBytesMax != defaults.recordBytesMax {
      entries.append(("max-record", String(options.recordBytesMax), nil))
    }
    return entries
  }

  private static func dates(_ options: DateOptions) -> [KeyLine] {
    let values = [
      ("date-format", options.format?.rawValue), ("max-age", options.maxAge.map { "\($0)d" }),
      ("since", options.since?.text), ("until", options.until?.text), ("now", options.now?.text),
      ("undated", options.keepsUndated ? "keep" : nil),
    ]
    return values.compactMap { key, value in value.map { (key, $0, nil) } }
  }

  /// A comment that names the fields that are not read.
  private static func others(_ preview: InputPreview) -> [String] {
    let hasLabels = preview.rows.contains { !$0.row.fields.label.isEmpty }
    let others = PreviewReport.otherFields(preview.layout, hasLabels: hasLabels)
      .filter { $0 != preview.dates?.field }
    let numbers = preview.layout.numbers.map { PrintableText.line($0) }
    let warnings = preview.notices.flatMap(\.warnings).map { "# warning: " + OptionText.typed($0.sentence) }
    let dates = preview.dates.map { column in
      [
        "# date: \(YAMLText.scalar(column.field))  # \(PreviewReport.days(column))",
        "# max-age: 90d  # leaves out older rows",
      ]
    }
    return warnings + (dates ?? [])
      + (numbers.isEmpty ? [] : ["# one row per number in: " + numbers.joined(separator: ", ")])
      + (others.isEmpty
        ? [] : ["# label, source and score can be read from: " + others.joined(separator: ", ")])
  }

  private static func normalize(_ options: NormalizeOptions) -> [KeyLine] {
    let defaults = NormalizeOptions()
    var entries: [KeyLine] = []
    if options.numbers != defaults.numbers { entries.append(("numbers", options.numbers.rawValue, nil)) }
    if options.require != defaults.require { entries.append(("require", options.require.rawValue, nil)) }
    if let max = options.patternNumbersMax {
      entries.append(("patterns", max == 0 ? "\"no\"" : String(max), nil))
    }
    if options.arePrefixes { entries.append(("prefixes", "true", nil)) }
    if let check = options.countryCheck {
      let codes = check.countries.map(YAMLText.scalar).joined(separator: ", ")
      if !codes.isEmpty { entries.append(("countries", "[\(codes)]", nil)) }
      let percent = Figures.plain(check.minValidPercent) + "%"
      entries.append(("min-valid", YAMLText.scalar(percent), nil))
    }
    return entries
  }

  private static func region(_ preview: InputPreview) -> [String] {
    let choice = preview.region
    let comment = PreviewReport.region(choice)
    if let region = choice.region {
      return [commented("    region: \(YAMLText.scalar(region.code))", comment)]
    }
    if choice.certainty == .international {
      return ["    # No region: the numbers start with their country code."]
    }
    return [commented("    # region: \(choice.proposed?.code ?? "CC")", comment)]
  }
}
