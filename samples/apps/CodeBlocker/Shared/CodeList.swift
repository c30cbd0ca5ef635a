// The codes to block, and those that iOS has: small files in the folder that the app shares with its extension. The first is the
// app's, the others are the extension's, so that each has one writer.

import Foundation

/// Codes of which none covers another, together no more numbers than iOS accepts.
struct CodeList: Equatable, Sendable {
  /// The most numbers: iOS refuses a request with 2,000,000.
  static let numbersMax: UInt64 = 1_999_999
  /// The most codes: nobody types more than some dozens, and adding one looks at all.
  static let codesMax = 500

  /// The codes, ascending.
  private(set) var codes: [AreaCode] = []

  /// How many numbers they stand for.
  var count: UInt64 { codes.reduce(0) { $0 + $1.count } }

  /// Adds a code. Those that it covers go, as it stands for them as well.
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

  /// The numbers of some codes of a list, ascending and disjoint, as no code covers another.
  static func ranges(of codes: some Sequence<AreaCode>) -> [ClosedRange<UInt64>] {
    codes.flatMap(\.ranges).sorted { $0.lowerBound < $1.lowerBound }
  }
}

/// The files of both.
struct SharedCodes: Sendable {
  /// No file of ours is longer.
  private static let bytesMax = 1 << 20

  /// A load that was begun: which it is, and what iOS has once it has taken all of it.
  private struct Load: Codable {
    let id: String
    let codes: [String]
  }

  /// The app group's folder.
  let folder: URL

  init(_ folder: URL) {
    self.folder = folder
  }

  /// What the owner wants blocked; an empty list when there is no file, or a broken one.
  var wanted: CodeList { (read([String].self, "codes.json").flatMap { Self.list($0) }) ?? CodeList() }

  /// Sets what is to be blocked. It shows when the extension is loaded the next time.
  func setWanted(_ list: CodeList) throws { try write(Self.texts(list), "codes.json") }

  // What iOS has is known once it has accepted the load that was begun last. Its report may arrive before or after the
  // next load begins, so each load has an id: a report that is late, or lost, leads to a load of everything.

  /// What iOS has; nil when nobody knows.
  var loaded: CodeList? {
    guard let load = read(Load.self, "load.json"), load.id == read(String.self, "taken.json") else {
      return nil
    }
    return Self.list(load.codes)
  }

  /// Notes that a list is about to be loaded, and returns the load's id. From now on nobody knows what iOS has.
  func beginLoading(_ list: CodeList) throws -> String {
    try remove("taken.json")
    let load = Load(id: UUID().uuidString, codes: Self.texts(list))
    try write(load, "load.json")
    return load.id
  }

  /// Notes that iOS has taken a load. If that can't be written, everything is loaded the next time.
  func endLoading(_ id: String) { try? write(id, "taken.json") }

  /// Notes that iOS has removed everything, as it does when a load fails.
  func forgetLoaded() { try? remove("taken.json") }

  // MARK: Files

  private static func texts(_ list: CodeList) -> [String] { list.codes.map { "+\($0.digits)" } }

  /// Read as strictly as what the owner types: a file may be anything.
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
    try JSONEncoder().encode(value).write(to: url(name), options: .atomic)
  }

  private func remove(_ name: String) throws {
    guard FileManager.default.fileExists(atPath: url(name).path) else { return }
    try FileManager.default.removeItem(at: url(name))
  }
}
