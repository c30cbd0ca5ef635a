// The codes to block and the codes that iOS has loaded, as small files in the folder that the app shares with its
// extension. The app writes the first file, the extension the others, so each file has one writer.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// A list of codes. No code covers another, and together they match at most as many numbers as iOS accepts.
nonisolated struct CodeList: Equatable, Sendable {
  /// The maximum count of numbers: iOS rejects a request with 2,000,000.
  static let numbersMax: UInt64 = 1_999_999
  /// The maximum count of codes: adding one compares it with all, and users type a few dozen.
  static let codesMax = 500

  /// The codes, ascending.
  private(set) var codes: [AreaCode] = []

  /// The count of numbers that the codes match.
  var count: UInt64 { codes.reduce(0) { $0 + $1.count } }

  /// Adds a code and removes the codes that it covers. Throws `AreaCodeError`.
  mutating func add(_ code: AreaCode) throws(AreaCodeError) {
    if let cover = codes.first(where: { $0.covers(code) }) { throw .covered(by: cover) }
    let rest = codes.filter { !code.covers($0) }
    let used = rest.reduce(0) { $0 + $1.count }
    guard code.count <= Self.numbersMax - used, rest.count < Self.codesMax else {
      throw .tooMany(count: code.count, left: Self.numbersMax - used)
    }
    codes = (rest + [code]).sorted()
  }

  /// Removes a code.
  mutating func remove(_ code: AreaCode) {
    codes.removeAll { $0 == code }
  }

  /// The numbers of codes from one list, as ascending ranges. They are disjoint because no code covers another.
  static func ranges(of codes: some Sequence<AreaCode>) -> [ClosedRange<UInt64>] {
    codes.flatMap(\.ranges).sorted { $0.lowerBound < $1.lowerBound }
  }
}

/// The files that the app and its extension share.
nonisolated struct SharedCodes: Sendable {
  /// The maximum size of a file that is read, in bytes; ours are smaller.
  private static let bytesMax = 1 << 20

  /// A load that was started: its id, and the list that iOS has once the load is complete.
  private struct Load: Codable {
    let id: String
    let codes: [String]
  }

  /// The app group's folder.
  let folder: URL

  init(_ folder: URL) {
    self.folder = folder
  }

  /// The codes that the owner wants to block; empty if the file is missing or damaged.
  var wanted: CodeList { (read([String].self, "codes.json").flatMap { Self.list($0) }) ?? CodeList() }

  /// Sets the codes to block. Takes effect the next time the extension is loaded.
  func setWanted(_ list: CodeList) throws { try write(Self.texts(list), "codes.json") }

  // What iOS has is known once it has accepted the load that was started last. Its report may arrive before or after
  // the next load starts, so each load has an id: if a report is late or lost, everything is loaded again.

  /// The list that iOS has; nil if unknown.
  var loaded: CodeList? {
    guard let load = read(Load.self, "load.json"), load.id == read(String.self, "taken.json") else {
      return nil
    }
    return Self.list(load.codes)
  }

  /// Records that a list is about to be loaded and returns the load's id. Until the load ends, ``loaded`` is nil.
  func beginLoading(_ list: CodeList) throws -> String {
    try remove("taken.json")
    let load = Load(id: UUID().uuidString, codes: Self.texts(list))
    try write(load, "load.json")
    return load.id
  }

  /// Records that iOS has accepted a load. If that can't be written, everything is loaded the next time.
  func endLoading(_ id: String) { try? write(id, "taken.json") }

  /// Records that iOS has removed everything, as it does when a load fails.
  func forgetLoaded() { try? remove("taken.json") }

  // MARK: Files

  private static func texts(_ list: CodeList) -> [String] { list.codes.map { "+\($0.digits)" } }

  /// Parses the texts as strictly as typed ones, because a file may contain anything.
  private static func list(_ texts: [String]) -> CodeList? {
    var list = CodeList()
    do {
      for text in texts { try list.add(AreaCode(text)) }
    } catch {
      return nil
    }
    return list
  }

  private func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  private func read<Value: Decodable>(_: Value.Type, _ name: String) -> Value? {
    guard let data = try? Data(contentsOf: url(name)), data.count <= Self.bytesMax else { return nil }
    return try? JSONDecoder().decode(Value.self, from: data)
  }

  private func write(_ value: some Encodable, _ name: String) throws {
    try JSONEncoder().encode(value).write(to: url(name), options: .forExtensions)
  }

  private func remove(_ name: String) throws {
    guard FileManager.default.fileExists(atPath: url(name).path) else { return }
    try FileManager.default.removeItem(at: url(name))
  }
}
