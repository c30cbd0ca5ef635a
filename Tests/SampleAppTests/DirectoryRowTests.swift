// What an extension's row and the answer to a lookup say, in every state.

import CallDirectory
import CallKit
import Foundation
import Testing

@testable import SampleShared

@Suite("The rows of extensions")
struct DirectoryRowTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  /// A state, and the text of its row.
  struct Shown: CustomTestStringConvertible, Sendable {
    let state: DirectoryRow.LoadState
    let status: String
    let detail: String?
    let needsLoading: Bool
    var testDescription: String { status }
  }

  static let states = [
    Shown(
      state: .loaded(count: 1_999_999, date: date), status: "1,999,999 numbers",
      detail: "Loaded \(DirectoryModel.text(date))", needsLoading: false),
    Shown(state: .loaded(count: 12, date: nil), status: "12 numbers", detail: nil, needsLoading: false),
    Shown(state: .empty, status: "No numbers", detail: nil, needsLoading: false),
    Shown(state: .waiting, status: "Waiting to load", detail: nil, needsLoading: true),
    Shown(state: .loading, status: "Loading…", detail: nil, needsLoading: false),
    Shown(
      state: .off, status: "Off in Settings", detail: "Turn this extension on in Settings.",
      needsLoading: false),
    Shown(
      state: .failed(.files), status: "The list can’t be read.",
      detail: "Delete the app and install it again.", needsLoading: true),
  ]

  @Test("every state has a text", arguments: states)
  func state(shown: Shown) {
    let row = DirectoryRow(id: "a", name: "A", state: shown.state)
    #expect(row.status == shown.status && row.detail == shown.detail)
    #expect(row.needsLoading == shown.needsLoading)
  }

  /// iOS's codes, also those that Apple's enum lacks.
  static let codes: [(Int, String, String)] = [
    (
      1, "iOS did not find this extension.",
      "Restart the device. If that does not help, delete the app and install it again."
    ),
    (2, "Loading was interrupted.", "Try again."),
    (3, "The list contains errors.", "Try again after the next update."),
    (4, "The list contains errors.", "Try again after the next update."),
    (5, "The list has more numbers than iOS accepts.", "Update the app in the App Store."),
    (7, "iOS is already loading this extension.", "Try again in a few minutes."),
    (
      0, "Loading failed (com.apple.CallKit.error.calldirectorymanager 0).",
      "Try again. If that does not help, restart the device."
    ),
    (
      8, "Loading failed (com.apple.CallKit.error.calldirectorymanager 8).",
      "Try again. If that does not help, restart the device."
    ),
    (
      102, "iOS can’t use this extension at the moment (com.apple.CallKit.error.calldirectorymanager 102).",
      "Turn the extension off and on again in Settings. If that does not help, restart the device, or delete the app and install it again."
    ),
  ]

  @Test("every error of iOS has a reason and a way out", arguments: codes)
  func failure(code: Int, reason: String, remedy: String) {
    let failure = LoadErrorText(domain: CXErrorDomainCallDirectoryManager, code: code)
    #expect(failure.reason == reason && failure.remedy == remedy)
    let row = DirectoryRow(id: "a", name: "A", state: .failed(failure))
    #expect(row.status == reason && row.detail == remedy)
  }

  @Test("errors of iOS's database name what helped others")
  func database() {
    let corrupt = LoadErrorText(domain: "com.apple.callkit.database.sqlite", code: 11)
    #expect(
      corrupt.reason
        == "The call directory of this device is damaged (com.apple.callkit.database.sqlite 11).")
    #expect(corrupt.remedy.contains("Reset All Settings helped others"))
    let constraint = LoadErrorText(domain: "com.apple.callkit.database.sqlite", code: 19)
    #expect(
      constraint.reason
        == "iOS has a number already that the list adds (com.apple.callkit.database.sqlite 19).")
    #expect(constraint.remedy.hasPrefix("Try again: everything is loaded again."))
  }

  @Test("iOS that does not answer")
  func silence() {
    let row = DirectoryRow(id: "a", name: "A", state: .failed(.noAnswer))
    #expect(row.status == "iOS did not answer." && row.needsLoading)
    #expect(row.detail == "Try again. If that does not help, restart the device.")
  }

  @Test("an extension's own error is named")
  func ownError() {
    let failure = LoadErrorText(domain: "example", code: 5)
    #expect(failure.reason == "Loading failed (example 5).")
  }
}

@Suite("The lookup of a number")
struct NumberAnswerTests {
  /// A list with blocked and labelled numbers.
  private static func files(_ workplace: Workplace) throws -> [ExtensionFiles] {
    try workplace.write(
      "list.tsv", "8613800138001\t快递\n8613800138002\t诈骗电话\n8613800138003..8613800138005\t房产中介\n")
    try workplace.cdpipe(
      "emit", "--format", "store", "--block", "诈骗*", "--max-entries", "3", "-o", "stores", "list.tsv")
    let names = try FileManager.default.contentsOfDirectory(atPath: workplace.path("stores"))
    return names.filter { $0.hasSuffix(".cdstore") }.map {
      ExtensionFiles(store: workplace.path("stores/\($0)"), record: workplace.path("record"))
    }
  }

  @Test("a number is blocked, labelled, or not in the list")
  func answers() throws {
    let workplace = try Workplace()
    let files = try Self.files(workplace)
    #expect(files.count == 2)
    func answer(_ text: String) -> [String?] {
      let answer = NumberAnswer(to: text, in: files, region: "CN")
      return [answer.number, answer.text]
    }
    #expect(answer("138 0013 8001") == ["+8613800138001", "快递"])
    #expect(answer("+86 138 0013 8004") == ["+8613800138004", "房产中介"])
    #expect(answer("0086 13800138002") == ["+8613800138002", "Blocked: 诈骗电话"])
    #expect(answer("13800138009") == ["+8613800138009", "Not in the list"])
    #expect(answer("hello") == [nil, "Not a phone number"])
    #expect(NumberAnswer(to: "+8613800138001", in: [], region: nil).text == "No list is loaded.")
    // Without a country, a number needs its calling code.
    #expect(NumberAnswer(to: "13800138001", in: files, region: nil).finding == .notANumber)
  }

  @Test("a blocked number may have no label, and a list may be damaged")
  func others() throws {
    let workplace = try Workplace()
    let answer = NumberAnswer(to: "+86 138 0013 8001", in: [], region: nil)
    #expect(answer.number == "+8613800138001")
    try workplace.write("broken.cdstore", "not a store")
    let broken = ExtensionFiles(store: workplace.path("broken.cdstore"), record: workplace.path("record"))
    #expect(NumberAnswer(to: "+8613800138001", in: [broken]).text == "The list can’t be read.")
    try workplace.cdpipe("generate", "+82 70 1234 XXXX", "-o", "070.tsv")
    try workplace.cdpipe("emit", "--format", "store", "--block", "*", "-o", "070", "070.tsv")
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: workplace.path("070")).first {
        $0.hasSuffix(".cdstore")
      })
    let files = ExtensionFiles(store: workplace.path("070/\(name)"), record: workplace.path("record"))
    #expect(NumberAnswer(to: "070-1234-5678", in: [files], region: "KR").text == "Blocked")
  }
}
