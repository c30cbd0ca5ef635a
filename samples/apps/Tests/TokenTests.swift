// What must not break in a lookup app: the extension reads the token that the app has set.

import Foundation
import Testing

@testable import LiveLookup

@Suite("The user's token")
struct TokenTests {
  @Test("the token is what the user has entered, in Base64, and a text that is not one changes nothing")
  func token() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (app, own) = (UserToken(folder), UserToken(folder))
    #expect(own.data.isEmpty)
    try app.set("c2VjcmV0")
    #expect(own.data == Data("secret".utf8))
    #expect(throws: UserTokenError.notBase64) { try app.set("not Base64!") }
    #expect(own.data == Data("secret".utf8))
  }
}
