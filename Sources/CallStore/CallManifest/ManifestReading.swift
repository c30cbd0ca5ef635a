// Reads a manifest, and validates its values, each by itself and against the others, before any of them is
// used.

import CallStoreFormat
import Hashing

extension Manifest {
  /// What distinguishes a manifest from other JSON. Read first, so that a newer version is reported as such.
  private struct FormatHeader: Decodable {
    var format: String?
    var version: Int?
  }

  /// Reads and validates a manifest.
  ///
  /// Everything that follows from the text alone is checked: types, limits, order, and that no two values contradict
  /// each other.
  ///
  /// - Complexity: O(bytes). The caller enforces ``bytesMax``.
  public init(bytes: [UInt8]) throws(ManifestError) {
    if let line = Self.lineWithoutUTF8(bytes) { throw .notUTF8(line: line) }
    let header: FormatHeader
    do {
      header = try ManifestJSON.decode(FormatHeader.self, from: bytes)
    } catch let error as DecodingError {
      throw Self.headerError(error)
    } catch {
      throw .notAManifest
    }
    guard header.format == Self.format else { throw .notAManifest }
    guard let version = header.version else { throw .invalid(.missing, key: "version") }
    guard version == Self.version else { throw .unsupportedVersion(version) }
    var scanner = DuplicateKeyScanner()
    if let key = scanner.firstDuplicate(in: bytes) { throw .invalid(.duplicateKey, key: key) }
    do {
      self = try ManifestJSON.decode(Manifest.self, from: bytes)
    } catch let error as DecodingError {
      throw Self.valueError(error)
    } catch {
      throw .notAManifest
    }
    try check()
  }

  /// The first line that is not UTF-8, from 1.
  private static func lineWithoutUTF8(_ bytes: [UInt8]) -> Int? {
    if isUTF8(bytes[...]) { return nil }
    // No byte of a longer sequence is a line feed.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.firstIndex { !isUTF8($0) } ?? 0) + 1
  }

  /// Decoding replaces invalid bytes, so only valid ones survive it unchanged.
  private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  // MARK: The decoder's errors

  /// JSON of another form is not a manifest. With a version of the wrong type it is meant to be one.
  private static func headerError(_ error: DecodingError) -> ManifestError {
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty: notJSON(context)
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      context.codingPath.last?.stringValue == "version" ? valueError(error) : .notAManifest
    default: .notAManifest
    }
  }

  private static func valueError(_ error: DecodingError) -> ManifestError {
    switch error {
    case .keyNotFound(let key, let context): .invalid(.missing, key: path(context.codingPath + [key]))
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      .invalid(.wrongType, key: path(context.codingPath))
    case .dataCorrupted(let context):
      // The text is valid JSON, so this is a number too large for its type. The decoder does not report which.
      .invalid(.outOfRange, key: path(context.codingPath))
    @unknown default: .notAManifest
    }
  }

  /// A key's path as text, such as `shards[2].from`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }

  /// The decoder reports line and column only as prose, such as `line: 3, column: 7`.
  private static func notJSON(_ context: DecodingError.Context) -> ManifestError {
    let text = context.debugDescription + " " + (context.underlyingError.map { "\($0)" } ?? "")
    return .notJSON(line: number(after: "line", in: text), column: number(after: "column", in: text))
  }

  private static func number(after word: String, in text: String) -> Int? {
    // The texts are short ASCII sentences.
    let (bytes, word) = (Array(text.utf8), Array(word.utf8))
    guard bytes.count >= word.count else { return nil }
    let start = (0...bytes.count - word.count).first { bytes[$0...].starts(with: word) }
    guard let start else { return nil }
    let rest = bytes[(start + word.count)...].drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

extension Manifest {
  /// Throws the first invalid value.
  func check() throws(ManifestError) {
    try require(maxEntries >= 1, .outOfRange, "maxEntries")
    try require(shards.count <= Self.shardsMax, .outOfRange, "shards")
    try checkOrder()
    for index in shards.indices { try checkShard(index) }
    try bootstrap?.check("bootstrap") { ManifestNames.bootstrap($0) }
    if let baseline {
      try require(Hexadecimal.sha256(baseline.contentID) != nil, .notAHash, "baseline.contentID")
    }
    for (index, source) in (sources ?? []).enumerated() {
      let isValid = source.sha256.map { Hexadecimal.sha256($0) != nil } ?? true
      try require(isValid, .notAHash, "sources[\(index)].sha256")
    }
    try require(contentID == Self.contentID(of: shards), .contradiction, "contentID")
    let sums = Manifest(shards: shards, maxEntries: maxEntries)
    try require(entries == sums.entries, .contradiction, "entries")
    try require(records == sums.records, .contradiction, "records")
  }

  /// Ids are distinct, and first numbers ascend from 1.
  private func checkOrder() throws(ManifestError) {
    var ids: Set<Int> = []
    var previous: UInt64 = 0
    for (index, shard) in shards.enumerated() {
      let key = "shards[\(index)]"
      // An id is part of a file's name, and grows by at most one per split.
      try require((1...Self.idMax).contains(shard.id), .outOfRange, "\(key).id")
      try require(ids.insert(shard.id).inserted, .notInOrder, "\(key).id")
      try require((1...StoreLimits.numberMax).contains(shard.from), .outOfRange, "\(key).from")
      try require(index > 0 || shard.from == 1, .outOfRange, "\(key).from")
      try require(shard.from > previous, .notInOrder, "\(key).from")
      previous = shard.from
    }
  }

  private func checkShard(_ index: Int) throws(ManifestError) {
    let shard = shards[index]
    let key = "shards[\(index)]"
    try shard.store.check(key) { ManifestNames.shard(shard.id, $0) }
    try require(shard.store.first.map { $0 >= shard.from } ?? true, .outOfRange, "\(key).first")
    let end = index + 1 < shards.count ? shards[index + 1].from : .max
    try require(shard.store.last.map { $0 < end } ?? true, .outOfRange, "\(key).last")
    try require(shard.store.entries.sum <= maxEntries, .outOfRange, "\(key).entries")
    try shard.checkLabels(key)
    try shard.checkDeltas(key)
    try require(shard.deltas?.isEmpty ?? true || baseline != nil, .missing, "baseline")
  }
}

/// Throws unless a value is valid.
private func require(
  _ isValid: Bool, _ reason: ManifestError.Reason, _ key: @autoclosure () -> String
) throws(ManifestError) {
  if !isValid { throw .invalid(reason, key: key()) }
}

extension Manifest.Store {
  /// Throws the first value that a store can't have. `expectedName` returns the file name for a content hash.
  fileprivate func check(
    _ key: String, _ expectedName: ([UInt8]) -> String
  ) throws(ManifestError) {
    guard let hash = Hexadecimal.sha256(contentHash) else {
      throw .invalid(.notAHash, key: "\(key).contentHash")
    }
    try require(Hexadecimal.sha256(sha256) != nil, .notAHash, "\(key).sha256")
    try require(ManifestNames.isGenerated(name), .notAName, "\(key).name")
    try require(name == expectedName(hash), .contradiction, "\(key).name")
    try require(bytes > 0, .outOfRange, "\(key).bytes")
    for kind in StoreKind.allCases {
      let (records, entries) = (records[kind], entries[kind])
      // Every record has at least one number, and there are no more entries than numbers.
      try require(entries <= StoreLimits.numberMax, .outOfRange, "\(key).entries")
      try require(
        records <= entries && (records > 0) == (entries > 0), .contradiction, "\(key).records")
    }
    try require((first == nil) == (entries.sum == 0), .contradiction, "\(key).first")
    try require((last == nil) == (first == nil), .contradiction, "\(key).last")
    guard let first, let last else { return }
    try require((1...StoreLimits.numberMax).contains(first), .outOfRange, "\(key).first")
    try require((first...StoreLimits.numberMax).contains(last), .outOfRange, "\(key).last")
    try require(entries.sum <= last - first + 1, .contradiction, "\(key).entries")
  }
}

extension Manifest.Shard {
  /// The labels' counts must add up to the shard's.
  fileprivate func checkLabels(_ key: String) throws(ManifestError) {
    if let count = labels.count {
      let isPossible =
        count >= 0 && UInt64(clamping: count) <= store.records.sum && (count > 0) == (store.records.sum > 0)
      try require(isPossible, .contradiction, "\(key).labels.count")
    }
    guard let list = labels.list else { return }
    let isConsistent =
      list.count == labels.count
      && Set(list.map { Array($0.label.utf8) }).count == list.count
      && Self.sum(list.map(\.records)) == store.records.sum
      && Self.sum(list.map(\.entries)) == store.entries.sum
    try require(isConsistent, .contradiction, "\(key).labels.list")
  }

  /// The sum, or the largest number: a manifest may hold any numbers.
  private static func sum(_ counts: [UInt64]) -> UInt64 {
    counts.reduce(0) { sum, count in
      let (sum, isOver) = sum.addingReportingOverflow(count)
      return isOver ? .max : sum
    }
  }

  /// Each chain starts with a step 1, each step applies to the result of the one before it, and the last one leads to
  /// the shard.
  fileprivate func checkDeltas(_ key: String) throws(ManifestError) {
    var start: [UInt8] = []
    var previous: Manifest.Delta?
    let deltas = deltas ?? []
    for (index, delta) in deltas.enumerated() {
      let key = "\(key).deltas[\(index)]"
      guard let from = Hexadecimal.sha256(delta.from) else { throw .invalid(.notAHash, key: "\(key).from") }
      try require(Hexadecimal.sha256(delta.to) != nil, .notAHash, "\(key).to")
      try require(Hexadecimal.sha256(delta.sha256) != nil, .notAHash, "\(key).sha256")
      try require(delta.bytes > 0, .outOfRange, "\(key).bytes")
      try require(delta.step == 1 || delta.step == (previous?.step ?? 0) + 1, .notInOrder, "\(key).step")
      if delta.step == 1 {
        start = from
      } else {
        try require(delta.from == previous?.to, .contradiction, "\(key).from")
      }
      try require(ManifestNames.isGenerated(delta.name), .notAName, "\(key).name")
      let name = ManifestNames.delta(
        id, from: start, to: Hexadecimal.sha256(store.contentHash) ?? [], step: delta.step)
      try require(delta.name == name, .contradiction, "\(key).name")
      let isLast = index + 1 == deltas.count || deltas[index + 1].step == 1
      try require(!isLast || delta.to == store.contentHash, .contradiction, "\(key).to")
      previous = delta
    }
  }
}

/// Finds the first duplicate key of a JSON text.
struct DuplicateKeyScanner {
  /// An object or array that is open.
  private enum Container {
    case object(keys: Set<String>, key: String)
    case array(index: Int)
  }

  private var open: [Container] = []

  /// The path of the first key that occurs twice, such as `shards[2].from`; nil if none does. The text is valid JSON.
  ///
  /// - Complexity: O(bytes).
  mutating func firstDuplicate(in bytes: [UInt8]) -> String? {
    open = []
    var isKeyNext = false
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "{"):
        open.append(.object(keys: [], key: ""))
        isKeyNext = true
      case UInt8(ascii: "["):
        open.append(.array(index: 0))
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isKeyNext = false
      case UInt8(ascii: ","): isKeyNext = isKeyAfterComma()
      case UInt8(ascii: "\""):
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(at, bytes.count)
        at += 1
        if isKeyNext, !insert(Self.text(bytes[start..<end])) { return path }
        isKeyNext = false
      default: break
      }
    }
    return nil
  }

  /// Counts an array's element. Returns whether a key comes after the comma.
  private mutating func isKeyAfterComma() -> Bool {
    switch open.last {
    case .object: return true
    case .array(let index):
      open[open.count - 1] = .array(index: index + 1)
      return false
    case nil: return false
    }
  }

  /// Inserts a key into the innermost object. Returns whether it is new.
  private mutating func insert(_ key: String) -> Bool {
    guard case .object(var keys, _)? = open.popLast() else { return true }
    let isNew = keys.insert(key).inserted
    open.append(.object(keys: keys, key: key))
    return isNew
  }

  private var path: String {
    open.reduce(into: "") { text, container in
      switch container {
      case .object(_, let key): text += (text.isEmpty ? "" : ".") + key
      case .array(let index): text += "[\(index)]"
      }
    }
  }

  /// A key without its escapes: two spellings of a key are the same key.
  private static func text(_ raw: ArraySlice<UInt8>) -> String {
    if raw.contains(UInt8(ascii: "\\")) {
      let quoted = Array("[\"".utf8) + raw + Array("\"]".utf8)
      if let decoded = try? ManifestJSON.decode([String].self, from: quoted), let key = decoded.first {
        return key
      }
    }
    return String(decoding: raw, as: UTF8.self)
  }
}
