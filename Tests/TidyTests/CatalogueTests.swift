// The DocC catalogues of the products for apps. Not for their contents: scripts/make_docs.sh and check_snippets.py.

import Foundation
import Testing

@Suite("DocC catalogues")
struct CatalogueTests {
  @Test(
    "every product for apps has an article and a tutorial, which its first page links to",
    arguments: [
      "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallManifest", "CallStoreReader",
      "MessageRules", "NumberPlan",
    ])
  func pages(product: String) throws {
    let catalogue = try PackageDescription.target(product).path + "/\(product).docc"
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appendingPathComponent(catalogue).path)
    let contents = "\(product)-Tutorials.tutorial"
    let articles = files.filter { $0.hasSuffix(".md") && $0 != "\(product).md" }
    let tutorials = files.filter { $0.hasSuffix(".tutorial") && $0 != contents }
    #expect(!articles.isEmpty && !tutorials.isEmpty && files.contains(contents))
    let page = try Repository.text("\(catalogue)/\(product).md")
    for file in articles + tutorials {
      let name = String(file.prefix { $0 != "." })
      #expect(page.contains("<doc:\(name)>"), "\(product).md does not link to \(name)")
    }
  }
}
