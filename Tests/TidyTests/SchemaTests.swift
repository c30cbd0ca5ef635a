// The schemas of docs/formats, and the YAML files that name them for editors.

import Foundation
import Testing

@Suite("Schemas")
struct SchemaTests {
  private static let folder = "docs/formats"
  private static let modeline = "# yaml-language-server: $schema="

  @Test("an id is relative to the schema, and leads to it")
  func ids() throws {
    let schemas = Repository.files(in: Self.folder, endings: [".schema.json"])
    #expect(schemas.count >= 4)
    for path in schemas {
      let data = try Data(contentsOf: Repository.root.appendingPathComponent(path))
      let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let id = try #require(schema["$id"] as? String, "\(path) has no $id")
      #expect("\(Self.folder)/\(id)" == path)
    }
  }

  @Test("pipeline files and rule files name their schema, and it exists")
  func modelines() throws {
    let yaml = ["pipelines", "samples", "Benchmarks"].flatMap {
      Repository.files(in: $0, endings: [".yaml", ".yml"])
    }
    // Prometheus's files, a folder that is copied to other repositories, and what benchmarks write.
    .filter { path in
      !["pipelines/monitoring/", "samples/list-repository/", "Benchmarks/data/"]
        .contains { path.hasPrefix($0) }
    }
    #expect(yaml.count >= 5)
    for path in yaml {
      let first = try Repository.lines(path).first ?? ""
      #expect(first.hasPrefix(Self.modeline), "\(path) does not name its schema in its first line")
      let file = Repository.root.appendingPathComponent(path).deletingLastPathComponent()
        .appendingPathComponent(String(first.dropFirst(Self.modeline.count)))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(path): \(first)")
    }
  }
}
