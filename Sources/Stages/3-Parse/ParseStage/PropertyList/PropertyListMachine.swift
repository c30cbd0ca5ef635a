// Which of a property list's elements are rows, and what is in them.
//
// Not for: the tags themselves (XMLReader).

import CallRecord
import PipeStage

/// The state between the elements of a property list.
struct PropertyListMachine: ~Copyable {
  /// What an element is.
  enum Element {
    case array
    case dictionary
    case key
    /// A string, a number, a date or anything else with text.
    case text
    /// `<true/>` or `<false/>`.
    case flag(Bool)
    /// The outermost element.
    case list

    init(_ name: Span<UInt8>) {
      self =
        name.equals("string")
        ? .text
        : name.equals("key")
          ? .key
          : name.equals("dict")
            ? .dictionary
            : name.equals("array")
              ? .array
              : name.equals("true")
                ? .flag(true)
                : name.equals("false") ? .flag(false) : name.equals("plist") ? .list : .text
    }
  }

  /// Whether the present text lacks an entity.
  var missesEntity = false

  private let names: NamedFields
  private let recordBytesMax: Int

  /// The arrays and dictionaries around the rows: whether each is an array.
  private var around: [Bool] = []
  /// The elements that are open in the present row, itself included; 0: there is no row.
  private var rowDepth = 0
  private var rowPlace = RecordPlace()
  private var fields = RowFields()
  private var seen: FieldSet = []
  /// The fields whose key stood last.
  private var wanted: FieldSet = []
  /// Why the row can't be used.
  private var defect: ParseReject?
  /// The bytes of the row that are kept.
  private var kept = 0

  /// The text of the present key or value.
  private var text: ContiguousArray<UInt8> = []
  private var isKeeping = false
  private var textPlace = RecordPlace()

  init(_ options: ParseOptions) {
    names = NamedFields(options, number: "number", label: "title")
    recordBytesMax = options.recordBytesMax
  }

  mutating func reset() {
    around.removeAll()
    rowDepth = 0
    isKeeping = false
    missesEntity = false
  }

  mutating func start(
    _ element: Element, at place: () -> RecordPlace, _ rows: inout RowWriter
  ) throws(PipeFailure) {
    text.removeAll(keepingCapacity: true)
    missesEntity = false
    if rowDepth > 0 {
      startInRow(element)
    } else if case .dictionary = element, around.last == true {
      beginRow(place())
    } else {
      switch element {
      case .array: around.append(true)
      case .dictionary: around.append(false)
      case .text where around.last == true:
        // A list of bare texts: they are no rows, and what they say shows among the rejects.
        textPlace = place()
        isKeeping = true
        kept = 0
      default: isKeeping = false
      }
    }
  }

  private mutating func beginRow(_ place: RecordPlace) {
    rowPlace = place
    rowDepth = 1
    fields.removeAll()
    seen = []
    wanted = []
    defect = nil
    kept = 0
    isKeeping = false
  }

  private mutating func startInRow(_ element: Element) {
    isKeeping = false
    if rowDepth == 1 {
      switch element {
      case .key:
        wanted = []
        isKeeping = true
      case .text:
        isKeeping = !wanted.isEmpty
      case .flag(let value):
        take(value ? "true" : "false")
      case .array, .dictionary, .list:
        if !wanted.isEmpty { note(.unusableField(wantedName)) }
      }
    }
    rowDepth += 1
  }

  mutating func end(_ element: Element, _ rows: inout RowWriter) throws(PipeFailure) {
    if rowDepth == 0 { return try endAround(element, &rows) }
    rowDepth -= 1
    if rowDepth == 0 { return try endRow(&rows) }
    guard rowDepth == 1 else { return }
    switch element {
    case .key:
      wanted = names.fields(named: text.span)
    case .text:
      if isKeeping { takeText() }
      wanted = []
    case .array, .dictionary, .list, .flag:
      wanted = []
    }
    isKeeping = false
  }

  private mutating func endAround(_ element: Element, _ rows: inout RowWriter) throws(PipeFailure) {
    switch element {
    case .array, .dictionary:
      _ = around.popLast()
    case .text where isKeeping:
      isKeeping = false
      try rows.reject(line: textPlace.line, byte: textPlace.byte, .unexpectedText, text: text.span)
    default: break
    }
  }

  /// Keeps a piece of the present text, if anybody wants it.
  mutating func add(_ bytes: Span<UInt8>) {
    guard isKeeping else { return }
    kept += bytes.count
    if kept > recordBytesMax { return note(.recordTooLong(limit: recordBytesMax)) }
    text.append(bytes)
  }

  private mutating func take(_ word: String) {
    if wanted.isEmpty { return }
    text.append(contentsOf: word.utf8)
    takeText()
  }

  private mutating func takeText() {
    if missesEntity { note(.unknownEntity) }
    seen.formUnion(wanted)
    fields.set(wanted, text)
  }

  /// Remembers what is wrong with the row; the first thing counts.
  private mutating func note(_ reason: ParseReject) {
    if defect == nil { defect = reason }
  }

  private var wantedName: String {
    let name =
      wanted.contains(.number)
      ? names.number
      : wanted.contains(.label) ? names.label : wanted.contains(.source) ? names.source : names.score
    return String(decoding: name ?? [], as: UTF8.self)
  }

  private mutating func endRow(_ rows: inout RowWriter) throws(PipeFailure) {
    if defect == nil, names.number != nil, !seen.contains(.number) {
      defect = .missingField(names.numberName)
    }
    if let defect {
      try rows.reject(fields, at: rowPlace, defect)
    } else {
      try rows.add(fields, at: rowPlace)
    }
  }
}
