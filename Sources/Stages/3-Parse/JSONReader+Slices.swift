// Where JSON can be divided into slices.

import Records

extension JSONMachine {
  /// Whether the next unit starts a line, outside all brackets, and nothing before it is being searched or skipped, or
  /// was rejected because of what follows.
  var isBetweenRecords: Bool {
    guard case .none = recovery else { return false }
    return context.isAtOuterLineStart && inside.isEmpty && base >= examinedEnd
  }

  /// The position between two units, of which the next one starts a line, outside of all brackets or in one.
  var position: ReaderPosition? {
    guard case .none = recovery, inside.isEmpty, base >= examinedEnd, openAtEnd == 0 else { return nil }
    return context.position
  }

  /// Continues at a position.
  mutating func resume(at position: ReaderPosition) {
    reset()
    context.resume(at: position)
  }

  /// Notes up to where the broken unit at `start` was examined: a slice that ends before that rejects it for another
  /// reason. `next` is where reading resumes, and `before` the position in the input as it was before the unit.
  mutating func noteExamined(_ window: Span<UInt8>, _ start: Int, _ next: Int, _ before: JSONContext) {
    let after = (context, tokenStart, inside)
    let limit = start + recordBytesMax + ParseLimits.lookaheadCapacity
    var end = next
    while end < limit, isCut(window.extracting(0..<min(end, window.count)), start, before) {
      end = min(end + max(end - start, 1), limit)
    }
    examinedEnd = max(examinedEnd, base + UInt64(end))
    (context, tokenStart, inside) = after
  }

  /// Whether a unit can't be parsed without the bytes after these.
  private mutating func isCut(_ bytes: Span<UInt8>, _ start: Int, _ before: JSONContext) -> Bool {
    guard start < bytes.count else { return true }
    context = before
    do throws(JSONUnitError) {
      _ = try parse(bytes, start, atEnd: false)
      return false
    } catch .cut {
      return true
    } catch {
      return false
    }
  }
}
