// The layout of JSON: its fields, which of them are read, and which are not though they may belong to the rows.
//
// Not for: finding the fields (JSONFieldNames), or choosing them (JSONCommonFields).

import Records

extension JSONFieldNames {
  /// The layout of an input with these fields. `options` contains the fields that rows are read from; `isNumberChosen`:
  /// the user chose the number's field.
  func layout(_ options: ParseOptions, isNumberChosen: Bool) -> InputLayout {
    guard options.rowsAreObjects else { return layoutOfPairs(options) }
    guard !isNumberChosen, let number = options.numberField?.text else {
      var layout = InputLayout(all, options)
      layout.unread = unreadElements(options)
      return layout
    }
    var names = self
    let outer = names.enterRows(of: number)
    var layout = InputLayout(names.all, options)
    if layout.label == nil { layout.possibleLabels = names.texts.filter { $0 != layout.number } }
    // A type describes the number, not its owner.
    let hasLabel = layout.label.map { !["type", "kind"].contains(CommonFieldNames.plain($0)) } ?? false
    if !hasLabel, !outer.isEmpty { layout.unread.append(.outer(outer)) }
    names.addUnreadNumbers(to: &layout)
    return layout
  }

  private func layoutOfPairs(_ options: ParseOptions) -> InputLayout {
    var layout = InputLayout(all, options)
    layout.rowsArePairs = true
    layout.possibleNumbers = numbers
    // `{"spam": ["+15550100"], "fraud": ["+15550101"]}`
    let keys = phones.compactMap { phone in
      phone.path.hasSuffix(".1") && !phone.path.dropLast(2).contains(".")
        ? String(phone.path.dropLast(2)) : nil
    }
    if keys.count > 1, options.labelField == nil { layout.unread.append(.keys(keys)) }
    return layout
  }

  /// If the objects that are rows are inside an array of an outer object, leaves only their fields, with paths that
  /// start in them. Returns the outer fields with text, which are read from no row.
  private mutating func enterRows(of number: String) -> [String] {
    guard !all.contains(number), let path = all.first(where: { $0.hasSuffix("." + number) }) else {
      return []
    }
    let prefix = String(path.dropLast(number.count))
    guard ("." + prefix).contains(".1.") else { return [] }
    let outer = texts.filter { !$0.hasPrefix(prefix) }
    func inside(_ path: String) -> String? {
      path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }
    all = all.compactMap(inside)
    texts = texts.compactMap(inside)
    phones = phones.compactMap { phone in inside(phone.path).map { ($0, phone.rank, phone.digits) } }
    return outer
  }

  /// The elements that are not read if the number is at a chosen position of an array with several ones.
  private func unreadElements(_ options: ParseOptions) -> [UnreadFields] {
    guard case .name(let number)? = options.numberField else { return [] }
    return longArrays.compactMap { array in
      guard number.hasPrefix(array + ".") else { return nil }
      let steps = number.dropFirst(array.count + 1).split(separator: ".", maxSplits: 1)
      guard let position = steps.first, position.allSatisfy(\.isNumber) else { return nil }
      return .elements(of: array, rest: steps.count > 1 ? String(steps[1]) : "")
    }
  }

  /// Adds the numbers that are not read: the last ones of ranges, and other phone numbers.
  private func addUnreadNumbers(to layout: inout InputLayout) {
    let used = [layout.number, layout.last, layout.label, layout.source, layout.score].compactMap(\.self)
    let first = phones.first { $0.path == layout.number }?.digits
    var lasts: [String] = []
    var others: [String] = []
    for phone in phones where !used.contains(phone.path) {
      // The number itself, in an inner object.
      if let number = layout.number, phone.path.hasSuffix("." + number) { continue }
      let name = phone.path.split(separator: ".").last.map(String.init) ?? phone.path
      if CommonFieldNames.last.contains(CommonFieldNames.plain(name)) {
        // A time has other digits than the first number.
        let isAlike = first.map { $0.count == phone.digits.count && $0.prefix(2) == phone.digits.prefix(2) }
        if phone.rank >= .long, isAlike ?? true { lasts.append(phone.path) }
      } else if phone.rank == .international || CommonFieldNames.isNumber(name) {
        others.append(phone.path)
      }
    }
    if !lasts.isEmpty { layout.unread.append(.lastNumbers(lasts)) }
    if !others.isEmpty { layout.unread.append(.numbers(others)) }
  }
}
