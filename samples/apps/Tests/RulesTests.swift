// What must not break in a message filter: without rules that it can use, it shows every message.

import Foundation
import Testing

@testable import MessageFilter

@Suite("Rules")
struct RulesTests {
  @Test("damaged rules that were downloaded are not used, and messages are shown")
  func damaged() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = RulesFolders(group: folder, bundle: nil)
    #expect(InstalledRules(in: folders).downloadError == nil)
    try Data("not rules".utf8).write(to: folder.appendingPathComponent(RulesFolders.fileName))
    let installed = InstalledRules(in: folders)
    #expect(installed.origin == nil && installed.downloadError != nil)
    let verdict = installed.rules.verdict(sender: "10690000", body: "casino", receiver: "CN")
    #expect(verdict.action == .none)
  }
}
