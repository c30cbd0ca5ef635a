// The sample apps' texts: every text in the sources is in its string catalog, in every language, with the same values,
// and no catalog has texts that nothing uses.

import Foundation
import Testing

@Suite("Text catalogs")
struct TextCatalogTests {
  /// The languages of every catalog.
  static let languages: Set<String> = ["en", "de", "ja", "zh-Hans"]

  /// A folder of sources with the catalogs beside them.
  struct Part: CustomTestStringConvertible {
    let folder: URL
    var testDescription: String {
      folder.path.replacingOccurrences(of: Workplace.root.path + "/samples/apps/", with: "")
    }

    /// The sources, by name.
    func sources() throws -> [String: String] {
      // Comments may have examples.
      try texts(ofFiles: "swift").mapValues { $0.replacing(#/(?m)^\s*\/\/.*$/#, with: "") }
    }

    /// The catalogs, by name without the suffix.
    func catalogs() throws -> [String: Catalog] {
      try texts(ofFiles: "xcstrings").mapValues { try Catalog($0) }
    }

    private func texts(ofFiles suffix: String) throws -> [String: String] {
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == suffix }
      return try Dictionary(
        uniqueKeysWithValues: files.map {
          ($0.deletingPathExtension().lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
        })
    }
  }

  /// A string catalog.
  struct Catalog {
    /// The texts of each language, by key: one, or one for each plural form.
    var texts: [String: [String: [String]]] = [:]
    /// What the file has that is not a finished text.
    var unfinished: [String] = []

    init(_ json: String) throws {
      let file = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect(file["sourceLanguage"] as? String == "en")
      for (key, value) in try #require(file["strings"] as? [String: [String: Any]]) {
        let languages = value["localizations"] as? [String: [String: Any]] ?? [:]
        texts[key] = languages.mapValues { Self.texts(in: $0) }
        for (language, text) in languages where !Self.isFinished(text) {
          unfinished.append("\(key) (\(language))")
        }
      }
    }

    private static func units(_ value: [String: Any]) -> [[String: Any]] {
      if let unit = value["stringUnit"] as? [String: Any] { return [unit] }
      let variations = value["variations"] as? [String: [String: [String: Any]]]
      return variations?["plural"]?.values.flatMap { units($0) } ?? []
    }

    private static func texts(in value: [String: Any]) -> [String] {
      units(value).compactMap { $0["value"] as? String }
    }

    private static func isFinished(_ value: [String: Any]) -> Bool {
      let units = units(value)
      return !units.isEmpty
        && units.allSatisfy {
          $0["state"] as? String == "translated" && ($0["value"] as? String)?.isEmpty == false
        }
    }
  }

  /// The folders that have catalogs, or sources that use one.
  static let parts: [Part] = {
    let root = Workplace.root.appendingPathComponent("samples/apps")
    let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isDirectoryKey])
    let folders = (paths?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }
    return folders.map { Part(folder: $0) }.filter { part in
      let catalogs = try? part.catalogs()
      return catalogs?.isEmpty == false || (try? Self.keys(in: part).isEmpty) == false
    }.sorted { $0.folder.path < $1.folder.path }
  }()

  /// The keys in a folder's sources, by catalog.
  static func keys(in part: Part) throws -> [String: Set<String>] {
    var keys: [String: Set<String>] = [:]
    let sources = try part.sources()
    // A catalog is a value of a file, or of another file of the folder.
    let declaration = #/let (\w+)(?:: TextCatalog)? = TextCatalog\("(\w+)"\)/#
    var shared: [String: String] = [:]
    for match in sources.values.flatMap({ $0.matches(of: declaration) }) {
      shared[String(match.1)] = String(match.2)
    }
    for (name, source) in sources {
      var catalogs = shared
      for match in source.matches(of: declaration) { catalogs[String(match.1)] = String(match.2) }
      for (variable, catalog) in catalogs {
        let call = try Regex(#"(?:^|[^\w"])"# + variable + #"\(\s*"((?:[^"\\]|\\.)*)""#)
        for match in source.matches(of: call) {
          keys[catalog, default: []].insert(String(match.output[1].substring ?? ""))
        }
        // Without a literal, this test can't know the key.
        let other = try Regex(#"(?:^|[^\w."])"# + variable + #"\(\s*[^"\s]"#)
        #expect(source.matches(of: other).isEmpty, "\(name).swift has a text without a literal key")
      }
      for match in source.matches(of: #/TextCatalog\("(\w+)"\)\(\s*"((?:[^"\\]|\\.)*)"/#) {
        keys[String(match.1), default: []].insert(String(match.2))
      }
    }
    return keys
  }

  @Test("there are catalogs")
  func found() throws {
    let names = try Self.parts.flatMap { try $0.catalogs().keys }
    #expect(Set(names).isSuperset(of: ["Blocking", "Caller", "Directory"]))
    // The apps that have several of these parts need a file for each.
    #expect(Set(names).count == names.count)
  }

  @Test("every text in the sources is in its catalog, and no other is", arguments: parts)
  func complete(part: Part) throws {
    // iOS reads this one.
    let catalogs = try part.catalogs().filter { $0.key != "InfoPlist" }
    let keys = try Self.keys(in: part)
    #expect(Set(keys.keys) == Set(catalogs.keys))
    for (name, catalog) in catalogs {
      let used = keys[name] ?? []
      #expect(used.subtracting(catalog.texts.keys).sorted() == [], "missing in \(name)")
      #expect(Set(catalog.texts.keys).subtracting(used).sorted() == [], "not used, in \(name)")
    }
  }

  @Test("every text has all languages, with the same values", arguments: parts)
  func translated(part: Part) throws {
    for catalog in try part.catalogs().values {
      #expect(catalog.unfinished == [])
      for (key, languages) in catalog.texts {
        #expect(Set(languages.keys) == Self.languages, "\(key)")
        let values = try Self.values(in: key)
        for (language, text) in languages.flatMap({ language, texts in texts.map { (language, $0) } }) {
          #expect(try Self.values(in: text) == values, "\(key) (\(language)): \(text)")
        }
      }
    }
  }

  /// The types of a format's values, in the order of the values.
  static func values(in format: String) throws -> [String] {
    let matches = format.replacingOccurrences(of: "%%", with: "").matches(
      of: #/%(?:(\d+)\$)?(@|lld|lf|\.\d+f)?/#)
    let positions = matches.compactMap { $0.1.flatMap { Int($0) } }
    // All or none have positions: mixed ones are read from the wrong places.
    try #require(positions.isEmpty || positions.count == matches.count, "\(format)")
    try #require(matches.allSatisfy { $0.2 != nil }, "\(format)")
    let types = matches.map { String($0.2 ?? "") }
    if positions.isEmpty { return types }
    try #require(positions.sorted() == Array(1...positions.count), "\(format)")
    return zip(positions, types).sorted { $0.0 < $1.0 }.map(\.1)
  }

  @Test("what iOS shows of Info.plist is in all languages, in English as in the scaffold's template")
  func infoPlist() throws {
    let part = try #require(Self.parts.first { $0.testDescription == "VoIPCallerName/App" })
    let catalog = try #require(try part.catalogs()["InfoPlist"])
    let template = try String(
      contentsOf: Workplace.root.appendingPathComponent("Sources/Phone/ScaffoldTemplates/App-Info.plist"),
      encoding: .utf8)
    let keys = template.matches(of: #/<key>(NS\w+UsageDescription)</key>/#).map { String($0.1) }
    #expect(keys.count == 2 && Set(keys) == Set(catalog.texts.keys))
    for key in keys {
      let text = try #require(catalog.texts[key]?["en"]?.first)
      #expect(template.contains("<string>\(text)</string>"))
    }
  }

  @Test("format values are found in any order")
  func formats() throws {
    #expect(try Self.values(in: "%@ and %lld") == ["@", "lld"])
    #expect(try Self.values(in: "%2$lld 100 %% %1$@") == ["@", "lld"])
    #expect(try Self.values(in: "none") == [])
  }
}
