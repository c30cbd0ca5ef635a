// Logs of calls in JSON with both parties: the number of a call is the other party, as in tables.

import Records
import SystemIO

/// The fields of an object that tell an outgoing call, whose number is the one who is called.
struct JSONCallParties {
  /// The field of the party who is called; the number's field is that of the one who calls.
  var callee: String
  var direction: String?
  /// The caller of outgoing calls, if the first calls show it.
  var ownLine: ContiguousArray<UInt8> = []
}

extension JSONMachine {
  /// If the call that was read is outgoing, makes the one who is called its number.
  mutating func chooseParty(_ bytes: Span<UInt8>, _ unit: inout JSONUnit) {
    guard let parties = fields.parties else { return }
    seen.caller = unit.number
    let direction = String(decoding: Self.text(bytes, seen.direction), as: UTF8.self)
    let isFromExtension =
      parties.direction == nil && parties.ownLine.isEmpty
      && CommonFieldNames.isExtension(Self.text(bytes, unit.number))
      && !CommonFieldNames.isExtension(Self.text(bytes, seen.callee))
    let isOutgoing =
      CommonFieldNames.isOutgoing(direction) || isFromExtension
      || !parties.ownLine.isEmpty && Self.text(bytes, unit.number) == parties.ownLine
    guard isOutgoing else { return }
    unit.number = seen.callee
    seen.hasNumber = true
  }

  /// The subscriber's own line, by the first calls; empty if they don't show it.
  ///
  /// - Complexity: O(bytes).
  static func ownLine(_ bytes: Span<UInt8>, _ log: JSONCommonFields) -> ContiguousArray<UInt8> {
    var machine = JSONMachine(log.chosen(ParseOptions()), parties: log.parties)
    var calls: [(caller: ContiguousArray<UInt8>, callee: ContiguousArray<UInt8>)] = []
    var index = 0
    // Objects around the list, and other ones, are examined, too.
    for _ in 0..<2 * TableStart.recordsMax {
      while index < bytes.count, bytes[index] != object { index += 1 }
      do throws(JSONUnitError) {
        guard index < bytes.count else { break }
        machine.tokenStart = index
        let unit = try machine.object(bytes, index)
        index = max(unit.end, index + 1)
        guard unit.kind == .row else { continue }
        calls.append((text(bytes, machine.seen.caller), text(bytes, machine.seen.callee)))
      } catch {
        index += 1
      }
    }
    return CommonFieldNames.ownLine(of: calls) ?? []
  }

  /// The text of a value; empty if it has none.
  static func text(_ bytes: Span<UInt8>, _ value: JSONValue) -> ContiguousArray<UInt8> {
    switch value.kind {
    case .absent, .null, .container: []
    case .scalar: ContiguousArray(copying: bytes.extracting(value.start..<value.end))
    case .string: JSONToken.text(bytes, from: value.start, to: value.end) ?? []
    }
  }
}
