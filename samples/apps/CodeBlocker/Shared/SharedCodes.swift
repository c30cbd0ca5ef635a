// The list of codes, and what iOS has of it, as small files in the folder that the app shares with its extensions. The
// app writes the list, and each extension its own record, so each file has one writer.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The file with the list.
nonisolated struct SharedCodes: Sendable {
  /// The maximum size of a file that is read, in bytes; ours are smaller.
  fileprivate static let bytesMax = 1 << 16

  /// The app group's folder.
  let folder: URL
  private var url: URL { folder.appendingPathComponent("codes.json") }

  init(_ folder: URL) {
    self.folder = folder
  }

  /// Reads the list: without codes before it was written, or if it is damaged.
  ///
  /// - Parameter count: the number of slots.
  /// - Throws: if the file is there, but can't be read. Before the phone was first unlocked, no file can be.
  func list(slots count: Int) throws -> CodeList {
    var list = CodeList(slots: count)
    guard let data = try Self.read(url) else { return list }
    let texts = (try? JSONDecoder().decode([String].self, from: data)) ?? []
    list.restore(texts)
    return list
  }

  /// Writes the list. Takes effect the next time the extensions are loaded.
  func set(_ list: CodeList) throws {
    try Self.write(JSONEncoder().encode(list.slots.map { $0?.text ?? "" }), to: url)
  }

  /// The bytes of a file; nil if it does not exist or is too large.
  fileprivate static func read(_ url: URL) throws -> Data? {
    do {
      let data = try Data(contentsOf: url)
      return data.count <= bytesMax ? data : nil
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
  }

  fileprivate static func write(_ data: Data, to url: URL) throws {
    try data.write(to: url, options: .forExtensions)
  }
}

extension CodeList {
  /// Fills the slots with the texts of a file, which may contain anything. Invalid texts are empty slots.
  nonisolated fileprivate mutating func restore(_ texts: [String]) {
    for (slot, text) in texts.prefix(slots.count).enumerated() {
      guard let code = try? AreaCode(typed: text), !slots.contains(code) else { continue }
      put(code, into: slot)
    }
  }
}

/// What an extension blocks, and the record of what iOS has of it.
nonisolated struct ExtensionCode: Sendable {
  /// A load that was started: its id, and the code that iOS has once the load is complete; empty for none.
  private struct Load: Codable {
    let id: String
    let code: String
  }

  let part: CodePart
  private let shared: SharedCodes
  private let load: URL
  private let taken: URL

  /// The code and the record of an extension.
  init(_ index: ExtensionIndex, _ shared: SharedCodes, lineDigits: Int = AreaCode.lineDigits) {
    part = CodePart(of: index, lineDigits: lineDigits)
    self.shared = shared
    load = shared.folder.appendingPathComponent("\(index.shard)-load.json")
    taken = shared.folder.appendingPathComponent("\(index.shard)-taken.json")
  }

  /// The code that the extension's numbers belong to; nil if its slot is empty.
  func wanted() throws -> AreaCode? { try shared.list(slots: part.slot + 1).slots[part.slot] }

  // What iOS has is known once it has accepted the load that was started last. Its report may arrive before or after
  // the next load starts, so each load has an id: if a report is late or lost, everything is loaded again.

  /// Whether iOS has the extension's part of a code, or for nil: nothing.
  func isLoaded(_ code: AreaCode?) -> Bool {
    guard let load = read(Load.self, load) else { return false }
    return load.code == code?.text ?? "" && load.id == read(String.self, taken)
  }

  /// When iOS accepted the last load; nil if it did not, or that is not known.
  var loadedDate: Date? {
    (try? FileManager.default.attributesOfItem(atPath: taken.path)[.modificationDate]) as? Date
  }

  /// Whether the extension was never loaded.
  var isNew: Bool { !FileManager.default.fileExists(atPath: load.path) }

  /// Records that a code is about to be loaded and returns the load's id. Until the load ends, iOS is not known to have
  /// anything.
  func beginLoading(_ code: AreaCode?) throws -> String {
    forgetLoaded()
    let started = Load(id: UUID().uuidString, code: code?.text ?? "")
    try SharedCodes.write(JSONEncoder().encode(started), to: load)
    return started.id
  }

  /// Records that iOS has accepted a load. If that can't be written, everything is loaded the next time.
  func endLoading(_ id: String) {
    guard let data = try? JSONEncoder().encode(id) else { return }
    try? SharedCodes.write(data, to: taken)
  }

  /// Records that iOS has removed everything, as it does when a load fails.
  func forgetLoaded() { try? FileManager.default.removeItem(at: taken) }

  private func read<Value: Decodable>(_: Value.Type, _ url: URL) -> Value? {
    guard let data = try? SharedCodes.read(url) else { return nil }
    return try? JSONDecoder().decode(Value.self, from: data)
  }
}
