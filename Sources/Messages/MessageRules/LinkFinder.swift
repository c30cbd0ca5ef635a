// Finds links in a text as a reader sees them: with or without a scheme, in any width or case, with no invisible
// characters between the letters.

import CallStoreFormat

struct LinkFinder {
  /// A letter that is not ASCII.
  private static let foreign: UInt8 = 0x80
  /// The maximum number of characters of a text that are examined: the same as for keywords.
  private static let charactersMax = MessageRulesLimits.bodySymbolsMax

  private var text: ContiguousArray<UInt8> = []

  /// Calls `found` with each host until it returns true. What follows a host in the same link, its path, query and
  /// fragment, has no hosts: `http://example.org/bank.example` leads to example.org only.
  ///
  /// A host is in ASCII and lower case; the host of a link with other characters in its host is empty.
  ///
  /// - Complexity: O(bytes).
  mutating func find(
    _ body: Span<UInt8>, _ rules: borrowing CompiledRules, _ found: (ArraySlice<UInt8>) -> Bool
  ) {
    rules.project(body, limit: Self.charactersMax, into: &text)
    var at = 0
    while at < text.count {
      guard Self.isHost(text[at]) else {
        at += 1
        if hasScheme(before: at), linkHost(&at).map(found) ?? false { return }
        continue
      }
      let start = at
      while at < text.count, Self.isHost(text[at]) { at += 1 }
      if bareHosts(in: start..<at, found) { return }
      let last = text[start..<at].lastIndex(of: Self.foreign).map { $0 + 1 } ?? start
      if Self.host(in: text, last..<at) != nil { at = linkEnd(afterHost: at) }
    }
  }

  // MARK: Links with a scheme

  /// The host of a link whose scheme ends before `at`; nil if it has none. Moves `at` to the end of the link.
  private func linkHost(_ at: inout Int) -> ArraySlice<UInt8>? {
    while at < text.count, Self.isSlash(text[at]) { at += 1 }
    let start = hostStart(ofLink: at)
    var end = start
    while end < text.count, text[end] == UInt8(ascii: "%") || Self.isHost(text[end]),
      text[end] != Self.foreign
    { end += 1 }
    if end == start { return otherHost(&at, start) }
    // A browser accepts more characters in a host than names have: `bank.example,a.example.org` is a host of example.org.
    var whole = end
    while whole < text.count, Self.isInHost(text[whole]) { whole += 1 }
    at = linkEnd(afterHost: whole, mayBeScheme: whole > end)
    while whole > end, !Self.isAlphanumeric(text[whole - 1]) { whole -= 1 }
    let label = lastLabel(of: start..<whole)
    if label.lowerBound > end, TopLevelDomains.contains(text[label]) { return [] }
    guard text[start..<end].contains(UInt8(ascii: "%")) else {
      return Self.host(in: text, start..<end).flatMap { isAddressOrName($0) ? text[$0] : nil }
    }
    guard let decoded = Self.decoded(text[start..<end]),
      let host = Self.host(in: decoded, decoded.indices)
    else { return [] }
    return decoded[host]
  }

  /// The host of a link that does not begin like a name: empty for letters that are not ASCII, and for an address of IPv6.
  private func otherHost(_ at: inout Int, _ start: Int) -> ArraySlice<UInt8>? {
    var end = start
    while end < text.count, Self.isHost(text[end]) { end += 1 }
    if end == start, end < text.count, text[end] == UInt8(ascii: "[") {
      while end < text.count, !Self.endsAuthority(text[end]) { end += 1 }
    }
    at = max(at, linkEnd(afterHost: end))
    return end > start ? [] : nil
  }

  /// The start of a link's host, after a user name and password: `http://paypal.com@example.org/` leads to example.org.
  /// Letters that are not ASCII end a link's user and host.
  private func hostStart(ofLink start: Int) -> Int {
    var host = start
    var at = start
    while at < text.count, !Self.endsAuthority(text[at]) {
      at += 1
      if text[at - 1] == UInt8(ascii: "@") { host = at }
    }
    return host
  }

  /// The end of a link whose host ends at `end`: after its port, path, query and fragment. Letters that are not ASCII do
  /// not end a path. With `mayBeScheme`, another link may follow: `http://a.example,http://b.example`.
  private func linkEnd(afterHost end: Int, mayBeScheme: Bool = false) -> Int {
    var at = end
    if at < text.count, text[at] == UInt8(ascii: ":") {
      at += 1
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
    }
    guard at < text.count, Self.startsPath(text[at]), !(mayBeScheme && hasScheme(before: at + 2)) else {
      return end
    }
    while at < text.count, !Self.endsPath(text[at]) { at += 1 }
    return at
  }

  /// The bytes of a host with percent escapes; nil if it is not a host.
  private static func decoded(_ host: ArraySlice<UInt8>) -> ContiguousArray<UInt8>? {
    var decoded: ContiguousArray<UInt8> = []
    var at = host.startIndex
    while at < host.endIndex {
      var byte = host[at]
      at += 1
      if byte == UInt8(ascii: "%") {
        guard at + 1 < host.endIndex, let high = Character(Unicode.Scalar(host[at])).hexDigitValue,
          let low = Character(Unicode.Scalar(host[at + 1])).hexDigitValue
        else { return nil }
        byte = UInt8(high << 4 | low)
        if byte &- 0x41 < 26 { byte |= 0x20 }
        at += 2
      }
      guard isHost(byte), byte != foreign else { return nil }
      decoded.append(byte)
    }
    return decoded
  }

  /// Whether a character ends a link's user and host. A browser treats `\` like `/`.
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == foreign || startsPath(byte)
  }

  private static func startsPath(_ byte: UInt8) -> Bool {
    isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func endsPath(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
    default: false
    }
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// Whether a browser accepts an ASCII character in a host.
  private static func isInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case foreign: false
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: isHost(byte)
    }
  }

  // MARK: Hosts without a scheme

  /// Finds hosts in a run of characters that can occur in one.
  private func bareHosts(in run: Range<Int>, _ found: (ArraySlice<UInt8>) -> Bool) -> Bool {
    // A run after an @ is part of an e-mail address.
    if run.lowerBound > 0, text[run.lowerBound - 1] == UInt8(ascii: "@") { return false }
    var start = run.lowerBound
    while start < run.upperBound {
      // Letters that are not ASCII separate hosts: 看abc.com吧 contains one host.
      if text[start] == Self.foreign {
        start += 1
        continue
      }
      var end = start
      while end < run.upperBound, text[end] != Self.foreign { end += 1 }
      let isUser = end < text.count && text[end] == UInt8(ascii: "@")
      if !isUser, let host = Self.host(in: text, start..<end), isBareHost(host),
        found(text[host])
      {
        return true
      }
      start = end
    }
    return false
  }

  /// The name in a run of ASCII characters, without surrounding dots and hyphens; nil if it does not have the form of one.
  private static func host(in text: ContiguousArray<UInt8>, _ run: Range<Int>) -> Range<Int>? {
    var run = run
    while let first = run.first, !isAlphanumeric(text[first]) { run = run.dropFirst() }
    while let last = run.last, !isAlphanumeric(text[last]) { run = run.dropLast() }
    var labels = 1
    var labelStart = run.lowerBound
    for index in run where text[index] == UInt8(ascii: ".") {
      // Two adjacent dots: not a host.
      guard index > labelStart, index - labelStart <= 63 else { return nil }
      labels += 1
      labelStart = index + 1
    }
    return labels >= 2 && run.upperBound - labelStart <= 63 ? run : nil
  }

  /// Whether a host after a scheme is a name, or an address with four numbers.
  private func isAddressOrName(_ host: Range<Int>) -> Bool {
    !text[lastLabel(of: host)].allSatisfy { $0 &- 0x30 < 10 }
      || text[host].count(where: { $0 == UInt8(ascii: ".") }) == 3
  }

  /// Whether a host without a scheme is one that programs turn into a link.
  private func isBareHost(_ host: Range<Int>) -> Bool {
    let last = text[lastLabel(of: host)]
    return isWWW(host) ? !last.allSatisfy { $0 &- 0x30 < 10 } : TopLevelDomains.contains(last)
  }

  private func lastLabel(of host: Range<Int>) -> Range<Int> {
    let dot = text[host].lastIndex(of: UInt8(ascii: "."))
    return (dot.map { $0 + 1 } ?? host.lowerBound)..<host.upperBound
  }

  private func isWWW(_ run: Range<Int>) -> Bool {
    run.count > 4 && text[run.lowerBound..<run.lowerBound + 4].elementsEqual("www.".utf8)
  }

  private func hasScheme(before index: Int) -> Bool {
    guard index >= 4, index <= text.count, text[index - 3..<index].elementsEqual("://".utf8) else {
      return false
    }
    return text[index - 4] &- 0x61 < 26
  }

  fileprivate static func isHost(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == foreign
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 || byte &- 0x30 < 10 }
}

extension CompiledRules {
  /// A text in ASCII and lower case: 0x80 replaces other letters, a space everything else.
  fileprivate borrowing func project(
    _ text: Span<UInt8>, limit: Int, into bytes: inout ContiguousArray<UInt8>
  ) {
    bytes.removeAll(keepingCapacity: true)
    let blocks = self.bytes(of: .blocks)
    let pages = self.bytes(of: .pages)
    let starts = self.bytes(of: .expansionStarts)
    let parts = self.bytes(of: .expansions)
    var at = 0
    while at < text.count, bytes.count < limit {
      let scalar = Scalars.next(text, &at)
      let entry = Self.entry(of: scalar, pages, blocks)
      if entry.kind == .expansion {
        let index = Int(entry.symbol)
        for part in Int(starts.u32(4 * index))..<Int(starts.u32(4 * index + 4)) {
          Self.add(FoldEntry(bits: parts.u32(4 * part)), of: scalar, to: &bytes)
        }
      } else {
        Self.add(entry, of: scalar, to: &bytes)
      }
    }
    // The text continues, so the end of this host is unknown.
    if at < text.count {
      while let last = bytes.last, LinkFinder.isHost(last) { bytes.removeLast() }
    }
  }

  private static func add(
    _ entry: FoldEntry, of scalar: UInt32, to bytes: inout ContiguousArray<UInt8>
  ) {
    if entry.kind == .skip { return }
    let ascii = entry.ascii
    if ascii != 0, scalar < 0x80 || !endsSentencePart(ascii) {
      bytes.append(ascii &- 0x41 < 26 ? ascii | 0x20 : ascii)
    } else {
      bytes.append(entry.script != 0 ? 0x80 : 0x20)
    }
  }

  /// Whether a full-width form of a character ends a link: `，` is after it, `：` and `／` are in it.
  private static func endsSentencePart(_ ascii: UInt8) -> Bool {
    ascii == UInt8(ascii: ",") || ascii == UInt8(ascii: ";") || ascii == UInt8(ascii: "!")
  }

  /// Whether a host, or one of its parent domains, is in a set of domains.
  ///
  /// - Complexity: O(labels × log domains).
  borrowing func hasDomain(_ host: ArraySlice<UInt8>, inSet set: Int) -> Bool {
    let sets = bytes(of: .domainSets)
    let range = Int(sets.u32(4 * set))..<Int(sets.u32(4 * set + 4))
    var rest = host
    while !rest.isEmpty {
      if isDomain(rest, in: range) { return true }
      guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return false }
      rest = rest[(dot + 1)...]
    }
    return false
  }

  private borrowing func isDomain(_ domain: ArraySlice<UInt8>, in range: Range<Int>) -> Bool {
    let domains = bytes(of: .domains)
    let texts = bytes(of: .texts)
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      let start = Int(domains.u32(8 * middle))
      let text = texts.extracting(start..<start + Int(domains.u32(8 * middle + 4)))
      switch Self.order(text, domain) {
      case 0: return true
      case ..<0: low = middle + 1
      default: high = middle
      }
    }
    return false
  }

  private static func order(_ one: RawSpan, _ other: ArraySlice<UInt8>) -> Int {
    for (index, byte) in other.enumerated() {
      guard index < one.byteCount else { return -1 }
      if one.byte(index) != byte { return one.byte(index) < byte ? -1 : 1 }
    }
    return one.byteCount == other.count ? 0 : 1
  }
}

// The top-level domains that make `abc.xyz` a link without a scheme.
//
// Source: IANA's root zone: all country codes, and the generic names that links in messages use. A name that is missing
// here is only recognised after `https://` or `www.`.

enum TopLevelDomains {
  /// The names, each with a space on both sides.
  private static let names: StaticString = """
     com net org info biz edu gov mil int name pro mobi asia tel travel jobs cat coop aero museum post xxx app dev \
    page web site website online store shop shopping club vip top xyz icu win bid loan men work works live life link \
    click fun ink wang ltd group company email space tech host press news media video chat social cloud team world \
    today center city agency network digital global zone market markets money cash finance financial fund credit loans \
    bet poker casino game games play racing party date dating review reviews science trade trading download stream \
    faith accountant cricket webcam men gdn kim red blue pink black green gold lol wtf buzz cyou sbs cfd quest monster \
    rest beauty hair skin makeup autos boats homes yachts lat bond tokyo london paris berlin nyc amsterdam bar ren xin \
    love hot sexy porn adult cam sex art blog one plus run ooo fit health clinic care law legal tax tours vacations \
    ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd \
    cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge \
    gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh \
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw \
    mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb \
    sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk \
    us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw\u{20}
    """

  /// Whether a label, in lower case, is a top-level domain.
  static func contains(_ label: ArraySlice<UInt8>) -> Bool {
    guard label.count >= 2, label.count <= 63 else { return false }
    if label.count > 4, label.starts(with: "xn--".utf8) { return true }
    return names.withUTF8Buffer { names in
      var at = 0
      while at < names.count {
        var end = at
        while unsafe end < names.count && names[end] != 0x20 { end += 1 }
        if end - at == label.count, unsafe names[at..<end].elementsEqual(label) { return true }
        at = end + 1
      }
      return false
    }
  }
}
