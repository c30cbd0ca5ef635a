// What must not break in an app that makes its own calls: every push becomes a call, also one that can't be read.

import Foundation
import Testing

@testable import VoIPCallerName

@Suite("Pushes")
struct PushTests {
  @Test("a push names a call and a caller")
  func readable() throws {
    let id = UUID()
    let call = PushedCall(["call": id.uuidString, "from": "+8613800138000", "video": true])
    #expect(call == PushedCall(id, from: "+8613800138000", video: true))
    #expect(call.isReadable)
  }

  @Test("a push that can't be read is a call of an unknown caller: iOS terminates an app that reports none")
  func unreadable() {
    let endless = String(repeating: "1", count: PushedCall.handleLengthMax + 1)
    let payloads: [[AnyHashable: Any]] = [
      [:], ["call": "1", "from": "+1"], ["call": UUID().uuidString],
      ["call": UUID().uuidString, "from": endless],
    ]
    for payload in payloads {
      let call = PushedCall(payload)
      #expect(!call.isReadable && !call.handle.isEmpty, "\(payload)")
    }
  }
}
