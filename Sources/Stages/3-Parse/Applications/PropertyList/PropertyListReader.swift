// Apple's property lists, in XML or in the binary form: an array of dictionaries, such as the lists of the call blocker
// Begone. Each dictionary in an array is a row. Dictionaries around the array are searched; their entries whose keys are
// numbers are rows, with their texts as labels.
//
// Other lists name the number and the label differently: a dictionary without them is read by the common names.
//
// Begone's dictionaries have `addNational`, `category`, `number` and `title`; `number` and `title` are read. The others
// control what an application does with the entry, not which list it is from: `addNational` requests that the national
// form of the number be added, too, which one number in international form covers here, and `category` is 0 for a
// blocked number and 1 for one that is only identified. `--source category` reads that, too.
//
// Not for: the tags (XMLReader), or the binary form (BinaryPropertyListReader).

import Records

extension ParseOptions.Format {
  static let plist = Self("plist")
}

extension FormatDescription {
  static let propertyList = FormatDescription(
    format: .plist, what: "a property list, in XML or binary",
    recognised: "an element <plist>, or its first 6 bytes",
    matches: { PropertyListReader.isBinary($0) || XMLStart.root($0) == "plist" },
    makeReader: { PropertyListReader($0) },
    signature: Signature(
      kind: "a binary property list", bytes: PropertyListReader.binaryMark.utf8CodeUnitCount,
      isOnlyForm: false, matches: { PropertyListReader.isBinary($0) }))
}

/// The reader for the `plist` format.
final class PropertyListReader: FormatReader {
  private let document: XMLReader
  private let configuration: ReaderConfiguration
  /// The reader of a list in the binary form; nil for one in XML.
  private var binary: BinaryPropertyListReader?
  /// The layout of a list in the binary form, once it was read.
  private var binaryLayout: InputLayout?
  private var binaryFinding: InputNotice.Finding?
  private var isAtStart = true

  init(_ setting: ReaderConfiguration) {
    document = XMLReader(setting, PropertyListHandler(setting))
    configuration = setting
  }

  func reset() {
    document.reset()
    binary = nil
    binaryLayout = nil
    binaryFinding = nil
    isAtStart = true
  }

  func layout(of start: InputStart) -> InputLayout { binaryLayout ?? document.layout(of: start) }

  var endFinding: InputNotice.Finding? { binaryLayout == nil ? document.endFinding : binaryFinding }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if isAtStart {
      if window.count < Self.binaryMark.utf8CodeUnitCount, !isEnd { return 0 }
      isAtStart = false
      if Self.isBinary(window) { binary = try BinaryPropertyListReader(configuration.context) }
    }
    if var binary = binary.take() {
      try binary.append(window)
      if isEnd { try read(binary, &rows) } else { self.binary = consume binary }
      return window.count
    }
    return try document.read(window, isEnd: isEnd, into: &rows)
  }

  private func read(
    _ binary: consuming BinaryPropertyListReader, _ rows: inout RowWriter
  ) throws(Failure) {
    let options = configuration.options
    var machine = PropertyListRows(options)
    defer {
      var layout = InputLayout(machine.names, options)
      machine.keys.complete(&layout, options)
      binaryLayout = layout
      binaryFinding = machine.chosenFields.finding
    }
    try binary.read(into: &machine, &rows)
  }

  static let binaryMark: StaticString = "BPLIST"

  static func isBinary(_ start: Span<UInt8>) -> Bool { start.startsIgnoringCase(binaryMark) }
}

/// Forwards a property list's elements to ``PropertyListRows``.
private final class PropertyListHandler: XMLRowHandler {
  private var machine: PropertyListRows
  private var hasRoot = false

  init(_ setting: ReaderConfiguration) {
    machine = PropertyListRows(setting.options)
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    if !hasRoot {
      hasRoot = true
      if !name.equals("plist") {
        throw .otherRoot(name, expected: "plist", at: place(), rows.input)
      }
    }
    try machine.start(PropertyListRows.Element(name), at: place, &rows)
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {
    try machine.end(PropertyListRows.Element(name), &rows)
  }

  var names: NamedFields { machine.names }
  var chosenFields: ChosenFields { machine.chosenFields }
  func text(_ bytes: Span<UInt8>) { machine.add(bytes) }
  func complete(_ layout: inout InputLayout, _ options: ParseOptions) {
    machine.keys.complete(&layout, options)
  }
  func unknownEntity() { machine.hasUnknownEntity = true }

  func reset() {
    hasRoot = false
    machine.reset()
  }
}
