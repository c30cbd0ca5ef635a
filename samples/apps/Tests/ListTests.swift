// What must not break in an app that downloads its list: it refuses settings with which it would accept any list.

import Foundation
import Testing

@testable import CallerID

@Suite("List settings")
struct ListTests {
  @Test("the list's address must be https")
  func address() throws {
    for address in ["", "http://lists.example.com/current", "https://", "lists.example.com"] {
      #expect(throws: ListSettingsError.invalidURL(address)) { try ListSettings(info: ["ListURL": address]) }
    }
    let settings = try ListSettings(info: ["ListURL": "https://lists.example.com/current"])
    // File names are appended to it.
    #expect(settings.url.absoluteString == "https://lists.example.com/current/")
  }

  @Test("a key that can't be read is an error: without keys, the app would accept any list")
  func keys() throws {
    let address = "https://lists.example.com/current"
    #expect(throws: ListSettingsError.invalidKey("ed25519:8f40")) {
      try ListSettings(info: ["ListURL": address, "ListKey": ["ed25519:8f40"]])
    }
    #expect(throws: ListSettingsError.self) {
      try ListSettings(info: ["ListURL": address, "ListKey": [String]()])
    }
  }
}
