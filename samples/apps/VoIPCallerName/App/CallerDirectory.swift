// Caller names: looks up a caller's number in stores that cdpipe wrote.
//
// iOS uses Call Directory extensions for carrier calls only. An app with its own calls has to look up its callers
// itself, as shown here. Not for acting on the answer (CallManager).

import CallDirectory
import NumberPlan

/// The result of looking up a caller.
nonisolated enum CallerAnswer: Equatable, Sendable {
  /// The caller is unknown: show the number.
  case unknown
  /// The caller has a label: show it as the name.
  case named(String)
  /// The caller is blocked: decline the call.
  case blocked
}

/// The stores in which callers are looked up.
nonisolated final class CallerDirectory: Sendable {
  private let lookup: CallerLookup
  private let region: Region?

  /// Opens stores. They are memory-mapped, so opening one needs less than a millisecond.
  ///
  /// - Parameters:
  ///   - stores: the paths of the stores, in the app's bundle or container.
  ///   - region: the country of numbers without a calling code, as two letters.
  init(stores: [String], region: String) throws {
    lookup = try CallerLookup(stores: stores)
    self.region = Region(region)
  }

  /// Looks up a caller, in less than a microsecond once the stores' pages are in memory. If the handle is not a number,
  /// or that part of a store is damaged, the caller is unknown and the call rings.
  func answer(to handle: String) -> CallerAnswer {
    guard let number = number(in: handle), let caller = try? lookup.caller(number) else { return .unknown }
    if caller.isBlocked { return .blocked }
    return caller.label.isEmpty ? .unknown : .named(caller.label)
  }

  /// A handle's number in the stores' form: the digits with the calling code.
  private func number(in handle: String) -> UInt64? {
    let text = ContiguousArray(Self.userPart(of: handle).utf8)
    return try? NumberPlan.parse(text.span, region: region).e164
  }

  /// The user part of an address: `+8613800138000` for `sip:+8613800138000@example.com;user=phone`. Other handles are
  /// returned unchanged.
  static func userPart(of handle: String) -> String {
    var text = handle[...]
    if let colon = text.firstIndex(of: ":"), ["sip", "sips", "tel"].contains(text[..<colon].lowercased()) {
      text = text[text.index(after: colon)...]
    }
    return String(text.prefix { $0 != "@" && $0 != ";" })
  }
}
