// The report for support: what every app adds to it, and what it never has.

import Foundation
import Testing

@testable import LiveLookup
@testable import SampleShared

@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test("a report begins with versions; errors are domains and codes, without texts")
  func report() throws {
    var report = Diagnostics(
      info: [
        "CFBundleIdentifier": "com.example.app", "CFBundleShortVersionString": "1.2", "CFBundleVersion": "7",
      ], system: "iOS 26.1")
    let cause = NSError(domain: "disk", code: 28, userInfo: [NSLocalizedDescriptionKey: "+8613800138000"])
    report.add(
      "last error", error: NSError(domain: "update", code: -1, userInfo: [NSUnderlyingErrorKey: cause]))
    report.add("no error", error: nil)
    report.add("last update", at: Date(timeIntervalSince1970: 1_790_000_000))
    report.add("first update", at: nil)
    report.add("store", file: "/nowhere")
    #expect(
      report.text == """
        app: com.example.app 1.2 (7)
        system: iOS 26.1
        last error: update -1 < disk 28
        last update: 2026-09-21T14:13:20Z
        first update: never
        store: no file

        """)
    #expect(Diagnostics(info: [:], system: "iOS 26.1").text.hasPrefix("app: ? ? (?)\n"))
  }
}

extension SampleApps {
  @Suite("The lookup app's diagnostics")
  @MainActor
  struct LookupDiagnosticsTests {
    @Test("the lookup app's report has the status and whether there is a token, not the token")
    func lookup() async throws {
      let workplace = try Workplace()
      let model = LookupModel(LookupControl("com.example.app.lookup", group: workplace.folder))
      model.token = "c2VjcmV0"
      await model.setToken()
      model.update()
      let text = model.diagnostics.text
      #expect(text.contains("extension: com.example.app.lookup\n") && text.contains("token: set\n"))
      // No extension is installed on a phone, so that iOS does not take the token.
      #expect(text.contains("last error, settingToken: "))
      #expect(!text.contains("c2VjcmV0") && !text.contains("secret"))
      #expect(LookupModel(nil).diagnostics.text.contains("extension: not set up\n"))
    }
  }
}
