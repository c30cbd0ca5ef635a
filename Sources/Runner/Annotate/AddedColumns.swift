// The columns that `cdpipe annotate` adds: their names, and their texts for each number.

import BasicContainers
import InputStages
import NumberPlan
import RecordStages
import Records

/// A column that is added to a table, or a member that is added to objects.
package enum AddedColumn: String, CaseIterable, Sendable {
  /// The number with a plus sign.
  case e164
  /// The code of its country.
  case country
  case type
  /// Whether the numbering plan has the number.
  case valid
  /// Why there is no number, or why it is not valid.
  case reason
}

/// The columns that are added, in order, with their names.
package struct AddedColumns: Sendable, Equatable {
  package struct Item: Sendable, Equatable {
    package var column: AddedColumn
    package var name: String
  }

  package private(set) var items = AddedColumn.allCases.map { Item(column: $0, name: $0.rawValue) }

  package init() {}

  /// Parses `e164,country=iso`: columns, each with a name after `=` if it has another one. Returns nil for an unknown or
  /// repeated column, a repeated name, or a name that has other characters than ASCII letters, digits and `_-.`.
  package init?(_ text: String) {
    items = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let column = AddedColumn(rawValue: String(parts[0])) else { return nil }
      let name = String(parts.last ?? parts[0])
      let isPlain =
        !name.isEmpty
        && name.utf8.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || "_-.".utf8.contains($0) }
      guard isPlain, !items.contains(where: { $0.column == column || $0.name == name }) else { return nil }
      items.append(Item(column: column, name: name))
    }
  }
}

/// The texts that are added to records, in the form of the input.
struct AddedText: ~Copyable {
  /// What is added around the digits of a number; if no digits are added, `after` is empty.
  struct Piece {
    var before: ContiguousArray<UInt8>
    var after: ContiguousArray<UInt8> = []
    var hasDigits = false
  }

  /// Where a piece is, and where the digits belong in it.
  private struct PiecePlace {
    var start: Int
    var digits: Int
    var end: Int
    var hasDigits: Bool
  }

  /// Numbers that have the same text but for their digits.
  private struct Block {
    var first: UInt64 = 1
    var last: UInt64 = 0
    var piece = 0
  }

  private struct RegionAndType: Hashable {
    var region: Region?
    var type: NumberType
  }

  /// The blocks of the numbering plan that are kept, by the first digits of their numbers. A list has few hundreds.
  private static let blocksCount = 1024
  /// Numbers that differ in this number of last digits only are kept in the same place.
  private static let blockWidth: UInt64 = 100_000

  private let columns: AddedColumns
  let form: LocatedInput.Form
  /// What is added to a header.
  let header: ContiguousArray<UInt8>
  /// All pieces, one after another, and their places.
  private var pieceBytes: ContiguousArray<UInt8> = []
  private var places: [PiecePlace] = []
  private var pieceOfKind: [RegionAndType: Int] = [:]
  private var blocks = RigidArray(repeating: Block(), count: blocksCount)
  private var reasonTexts: [String: ContiguousArray<UInt8>] = [:]

  init(_ columns: AddedColumns, _ form: LocatedInput.Form) {
    self.columns = columns
    self.form = form
    var header: ContiguousArray<UInt8> = []
    if case .table(let separator, let isQuoted) = form {
      for item in columns.items {
        header.append(separator)
        header += (isQuoted ? "\"\(item.name)\"" : item.name).utf8
      }
    }
    self.header = header
  }

  /// Whether none of the numbers is valid, but some look like national ones.
  var hasOnlyNationalNumbers: Bool {
    let national: [NormalizeReject] = [.invalidCountryCode, .tooShort]
    return pieceOfKind.keys.allSatisfy { $0.type == .unknown }
      && (!pieceOfKind.isEmpty || national.contains { reasonTexts[$0.code] != nil })
  }

  /// The index of a number's piece.
  @inline(__always)
  private mutating func pieceIndex(of number: UInt64) -> Int {
    // Multiplicative hashing: the upper bits of the product are an index below `blocksCount`.
    let hash = (number / Self.blockWidth) &* 0x9E37_79B9_7F4A_7C15
    let slot = Int(truncatingIfNeeded: hash &>> 54)
    let block = blocks[slot]
    if number >= block.first, number <= block.last { return block.piece }
    return findPiece(of: number, slot)
  }

  /// Writes what is added to a record with a number.
  @inline(__always)
  mutating func put(_ number: UInt64, to output: inout AnnotatedOutput) throws(Failure) {
    let place = places[pieceIndex(of: number)]
    try output.put(pieceBytes.span.extracting(place.start..<place.digits))
    guard place.hasDigits else { return }
    try output.put(digits: number)
    try output.put(pieceBytes.span.extracting(place.digits..<place.end))
  }

  /// What is added to a record with a number.
  mutating func text(of number: UInt64) -> ContiguousArray<UInt8> {
    let place = places[pieceIndex(of: number)]
    var text = ContiguousArray(pieceBytes[place.start..<place.digits])
    if place.hasDigits { text += "\(number)".utf8 }
    return text + pieceBytes[place.digits..<place.end]
  }

  private mutating func findPiece(of number: UInt64, _ slot: Int) -> Int {
    let block = NumberPlan.block(ofDigits: number)
    let kind = RegionAndType(region: block.region, type: block.type)
    let piece: Int
    if let known = pieceOfKind[kind] {
      piece = known
    } else {
      piece = places.count
      let text = self.piece(of: kind)
      let digits = pieceBytes.count + text.before.count
      places.append(
        PiecePlace(
          start: pieceBytes.count, digits: digits, end: digits + text.after.count, hasDigits: text.hasDigits))
      pieceBytes += text.before + text.after
      pieceOfKind[kind] = piece
    }
    blocks[slot] = Block(first: block.first, last: block.last, piece: piece)
    return piece
  }

  private func piece(of kind: RegionAndType) -> Piece {
    let isValid = kind.type != .unknown
    var piece = Piece(before: [])
    for item in columns.items {
      var text: ContiguousArray<UInt8> = []
      switch item.column {
      case .e164:
        begin(item, isText: true, &piece.before)
        piece.before.append(UInt8(ascii: "+"))
        piece.hasDigits = true
        end(isText: true, &piece.after)
        continue
      case .country: append(item, kind.region?.code, &text)
      case .type: append(item, isValid ? kind.type.code : nil, &text)
      case .valid: append(item, isValid, &text)
      case .reason: append(item, isValid ? nil : "not-valid", &text)
      }
      if piece.hasDigits { piece.after += text } else { piece.before += text }
    }
    return piece
  }

  /// The text that is added to a record without a number.
  mutating func text(reason: String) -> ContiguousArray<UInt8> {
    if let known = reasonTexts[reason] { return known }
    var text: ContiguousArray<UInt8> = []
    for item in columns.items {
      switch item.column {
      case .e164, .country, .type: append(item, nil, &text)
      case .valid: append(item, false, &text)
      case .reason: append(item, reason, &text)
      }
    }
    reasonTexts[reason] = text
    return text
  }

  // MARK: Cells and members

  private func append(
    _ item: AddedColumns.Item, _ value: String?, _ text: inout ContiguousArray<UInt8>
  ) {
    begin(item, isText: value != nil, &text)
    text += (value ?? (form == .jsonLines ? "null" : "")).utf8
    end(isText: value != nil, &text)
  }

  private func append(
    _ item: AddedColumns.Item, _ value: Bool, _ text: inout ContiguousArray<UInt8>
  ) {
    begin(item, isText: false, &text)
    text += (value ? "true" : "false").utf8
    end(isText: false, &text)
  }

  private func begin(
    _ item: AddedColumns.Item, isText: Bool, _ text: inout ContiguousArray<UInt8>
  ) {
    switch form {
    case .table(let separator, let isQuoted):
      text.append(separator)
      if isQuoted { text.append(UInt8(ascii: "\"")) }
    case .jsonLines:
      text += ",\"\(item.name)\":".utf8
      if isText { text.append(UInt8(ascii: "\"")) }
    }
  }

  private func end(isText: Bool, _ text: inout ContiguousArray<UInt8>) {
    let isQuoted =
      switch form {
      case .table(_, let isQuoted): isQuoted
      case .jsonLines: isText
      }
    if isQuoted { text.append(UInt8(ascii: "\"")) }
  }
}
