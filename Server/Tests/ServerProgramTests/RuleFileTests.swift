// A server of a rule file: what it serves and logs when the file changes.

import Testing

@Suite("Rule files", .serialized)
struct RuleFileTests {
  @Test("a rule file is compiled; with --watch, each change is; errors and warnings are those of cdpipe")
  func ruleFile() throws {
    let folder = try Folder()
    func rules(_ list: String) throws -> String {
      try folder.write("rules:\n\(list)", "rules.yaml")
    }
    let casino = "action: junk, when: { body: { contains: casino } } }\n"
    let path = try rules("  - { name: first, \(casino)")
    let server = try RunningServer(["--rules", path, "--rate", "0", "--watch"])
    #expect(try server.filter("casino").contains("\"first\""))
    _ = try rules("  - { name: second, \(casino)  - { name: third, \(casino)")
    #expect(server.logs("rules reloaded"))
    #expect(
      server.logs("\(path):3:5: rule 'third' can never match: 'second' before it matches whatever it matches")
    )
    #expect(try server.filter("casino").contains("\"second\""))
    _ = try rules("  - { name: third, whenn: 5, action: junk }\n")
    #expect(
      server.logs(
        "still serving the old ones: \(path):2:20: unknown key 'whenn'\n  hint: did you mean 'when'?"))
    #expect(try server.filter("casino").contains("\"second\""))
    // All lines have one name.
    let line = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z]+ cdpipe-server: .*/
    for text in server.logText.split(separator: "\n") where !text.hasPrefix("  hint: ") {
      #expect(text.wholeMatch(of: line) != nil, "\(text)")
    }
  }
}
