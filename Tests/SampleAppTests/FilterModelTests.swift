// What the message filter's screen shows in each of its states.

import Foundation
import FoundationNetworking
import MessageRules
import Testing

@testable import MessageFilter
@testable import SampleShared

private let casino = "rules: [{ name: casino, action: junk, when: { body: { contains: [casino] } } }]\n"

@Suite("The message filter's screen")
@MainActor
struct FilterModelTests {
  // MARK: Rules

  @Test("the rules that came with the app")
  func bundled() throws {
    let model = try FilterAppScene(bundled: casino).model()
    #expect(
      model.rules == FilterRow(symbol: "list.bullet.rectangle", title: "1 rules", detail: "Came with the app")
    )
    #expect(model.undecided == "Messages that no rule matches are shown.")
    #expect(model.notice == nil)
    #expect(!model.hasUpdates && !model.canUpdate)
  }

  @Test("downloaded rules, with their date")
  func downloaded() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("casino", "loan"))
    let model = scene.model(updater: scene.update(), host: "filter.example.com")
    #expect(await model.update())
    #expect(
      model.rules
        == FilterRow(
          symbol: "list.bullet.rectangle", title: "2 rules", detail: "Downloaded on 21/09/2026, 14:13"))
    #expect(
      model.undecided
        == "Messages that no rule matches are sent to filter.example.com, which decides.")
    // Without its record, the date is not known.
    try FileManager.default.removeItem(at: UpdateRecord.file(in: scene.group))
    model.refresh()
    #expect(model.rules.detail == "Downloaded")
  }

  @Test("no rules, with and without a server and updates")
  func noRules() throws {
    let scene = try FilterAppScene(bundled: nil)
    var model = scene.model()
    #expect(
      model.rules
        == FilterRow(symbol: "exclamationmark.triangle", title: "No rules", detail: "No message is filtered.")
    )
    #expect(
      model.notice
        == FilterNotice(
          text: "The filter has no rules that it can use.", remedy: "Delete the app, and install it again.",
          offersUpdate: false))
    model = scene.model(updater: scene.update(), host: "filter.example.com")
    #expect(model.rules.detail == "The server decides about all messages.")
    #expect(
      model.notice
        == FilterNotice(
          text: "The filter has no rules that it can use.", remedy: "Update the rules.", offersUpdate: true))
  }

  @Test("downloaded rules that are damaged: those in the bundle are used")
  func damaged() async throws {
    let scene = try FilterAppScene(bundled: casino)
    try Data("damaged".utf8).write(to: scene.group.appending(path: RulesFolders.fileName))
    let model = scene.model(updater: scene.update())
    #expect(model.rules.detail == "Came with the app")
    #expect(
      model.notice
        == FilterNotice(
          text: "The downloaded rules are damaged. The filter uses those that came with the app.",
          remedy: "Update the rules.", offersUpdate: true))
    scene.server.serve(try scene.junk("loan"))
    await model.update()
    #expect(model.notice == nil && model.rules.detail.hasPrefix("Downloaded on"))
  }

  @Test("stores that rules name: next to them, in the bundle, and missing")
  func stores() throws {
    let listed = "rules: [{ name: listed, action: junk, when: { sender: { store: spam.cdstore } } }]\n"
    let scene = try FilterAppScene(bundled: nil)
    try scene.workplace.write("spam.tsv", "8617012345678\tspam\n")
    try scene.workplace.cdpipe("emit", "spam.tsv", "--format", "store", "-o", "spam.cdstore", "--quiet")
    try scene.compile(listed).write(to: scene.group.appending(path: RulesFolders.fileName))
    let model = scene.model()
    model.sender = "+86 170 1234 5678"
    #expect(
      model.notice
        == FilterNotice(
          text: "The rules look senders up in a list that is missing: spam.cdstore",
          remedy: "Update the app in the App Store.", offersUpdate: false))
    #expect(model.trial?.title == "Shown")
    let bundle = try #require(scene.folders.bundle)
    try FileManager.default.copyItem(
      at: scene.workplace.folder.appending(path: "spam.cdstore"), to: bundle.appending(path: "spam.cdstore"))
    model.refresh()
    #expect(model.notice == nil && model.trial?.title == "Junk")
  }

  // MARK: A message to try

  static let actions = """
    region: CN
    rules:
      - { name: friends, action: allow, when: { sender: { is: "+8613800138000" } } }
      - { name: abroad, action: allow, when: { receiver: { country: FR } } }
      - { name: casino, action: junk, when: { body: { contains: [casino] } } }
      - { name: codes, action: transaction, sub-action: transactionalFinance, when: { body: { contains: [code] } } }
      - { name: trains, action: transaction, when: { body: { contains: [train] } } }
      - { name: coupons, action: promotion, sub-action: promotionalCoupons, when: { body: { contains: [coupon] } } }
      - { name: sales, action: promotion, when: { body: { contains: [sale] } } }
      - { name: open, action: none, when: { body: { contains: [open] } } }

    """

  @Test("what the filter would do with a message")
  func trial() throws {
    let model = try FilterAppScene(bundled: Self.actions).model()
    #expect(model.trial == nil)
    model.sender = " "
    #expect(model.trial == nil)
    let rows = [
      (
        "+86 138 0013 8000", "casino",
        FilterRow(symbol: "checkmark.circle", title: "Allowed", detail: "Rule: friends")
      ),
      ("", "The CASINO", FilterRow(symbol: "xmark.bin", title: "Junk", detail: "Rule: casino")),
      (
        "95588", "code 1234",
        FilterRow(symbol: "arrow.left.arrow.right", title: "Transactions: Finance", detail: "Rule: codes")
      ),
      (
        "", "train",
        FilterRow(symbol: "arrow.left.arrow.right", title: "Transactions", detail: "Rule: trains")
      ),
      ("", "coupon", FilterRow(symbol: "megaphone", title: "Promotions: Coupons", detail: "Rule: coupons")),
      ("", "sale", FilterRow(symbol: "megaphone", title: "Promotions", detail: "Rule: sales")),
      ("shop", "", FilterRow(symbol: "checkmark.circle", title: "Shown", detail: "No rule matches.")),
    ]
    for (sender, text, row) in rows {
      (model.sender, model.text) = (sender, text)
      #expect(model.trial == row)
    }
  }

  @Test("a message that no rule matches goes to the server, also if a rule matches it with the action none")
  func server() throws {
    let model = try FilterAppScene(bundled: Self.actions).model(host: "filter.example.com")
    model.text = "hello"
    let row = FilterRow(
      symbol: "questionmark.circle", title: "The server is asked",
      detail: "No rule matches. iOS sends the message to filter.example.com.")
    #expect(model.trial == row)
    model.text = "open"
    #expect(model.trial == row)
    model.text = "casino"
    #expect(model.trial?.title == "Junk")
  }

  @Test("rules about the receiver's country use that of the iPhone")
  func receiver() throws {
    let model = try FilterAppScene(bundled: Self.actions).model(receiver: "FR")
    model.text = "casino"
    #expect(model.trial?.title == "Allowed" && model.trial?.detail == "Rule: abroad")
  }

  @Test("every sub-action has a name", arguments: MessageSubAction.allCases)
  func names(subAction: MessageSubAction) throws {
    let verdict = FilterVerdict(subAction.action ?? .transaction, subAction)
    let parts = verdict.name.split(separator: ": ")
    #expect(parts.count == (subAction == .none ? 1 : 2))
    #expect(parts[0] == (subAction.action == .promotion ? "Promotions" : "Transactions"))
    if parts.count == 2 {
      #expect(subAction.name.hasSuffix(parts[1].filter { $0 != " " }))
    }
  }

  // MARK: Enabling

  @Test("the way to the switch in Settings depends on the version of iOS")
  func steps() throws {
    let scene = try FilterAppScene()
    #expect(
      scene.model(systemVersion: 26).steps
        == [
          "Open Settings › Apps › Messages.",
          "Turn on Screen Unknown Senders. Until then, Text Message Filter is greyed out.",
          "Tap Text Message Filter.", "Choose this app.",
        ])
    #expect(
      scene.model(systemVersion: 18).steps
        == ["Open Settings › Apps › Messages.", "Tap Unknown & Spam.", "Choose this app."])
  }

  @Test("what iOS does not show, and what an upgrade changes")
  func notes() throws {
    let scene = try FilterAppScene()
    let notes = scene.model(systemVersion: 18).notes
    #expect(notes.contains { $0.hasPrefix("iMessages are never filtered") })
    #expect(
      scene.model(systemVersion: 26).notes
        == ["After an upgrade to iOS 26, the filter has to be chosen again."] + notes)
  }

  // MARK: Diagnostics

  @Test("a report for support has states, sizes and errors, and no message, sender or address")
  func diagnostics() async throws {
    let scene = try FilterAppScene()
    let model = scene.model(updater: scene.update(), host: "filter.example.com")
    (model.sender, model.text) = ("+8613800138000", "casino")
    scene.server.set(.error(URLError(.timedOut)))
    await model.update()
    model.schedule = .off
    let lines = model.diagnostics.text.split(separator: "\n")
    #expect(lines[0].hasPrefix("app: ") && lines[1].hasPrefix("system: "))
    for line in [
      "rules: bundle, 1", "missing stores: 0", "downloaded rules: no file", "server: yes",
      "last update: never",
      "last error: unreachable(code: -1001)", "nightly update: off",
    ] {
      #expect(lines.contains(Substring(line)), "\(line)")
    }
    #expect(lines.contains { $0.hasPrefix("bundled rules: ") && $0.hasSuffix(" bytes") })
    for secret in ["138", "casino", "example"] { #expect(!model.diagnostics.text.contains(secret)) }
  }

  // MARK: Updates

  @Test("before the first update, during it, after it, and with nothing new")
  func updates() async throws {
    let scene = try FilterAppScene()
    scene.server.set(.silence)
    let model = scene.model(updater: scene.update())
    #expect(model.lastUpdate == "Never" && model.updateStatus.isEmpty && model.canUpdate)
    let running = Task { await model.update() }
    while scene.server.requests.isEmpty { await Task.yield() }
    #expect(model.isUpdating && !model.canUpdate && model.updateStatus == "Updating…")
    model.cancel()
    #expect(await running.value == false)
    // Cancelling is not an error.
    #expect(!model.isUpdating && model.canUpdate && model.updateStatus.isEmpty && model.notice == nil)
    #expect(model.lastUpdate == "Never")

    scene.server.serve(try scene.junk("loan"), tag: "\"1\"")
    #expect(await model.update())
    #expect(model.updateStatus == "The filter uses the new rules.")
    #expect(model.lastUpdate == "21/09/2026, 14:13")
    #expect(await model.update())
    #expect(model.updateStatus == "The rules are up to date.")
  }

  @Test("two updates at once are one, and both have its result")
  func once() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("loan"))
    let model = scene.model(updater: scene.update())
    async let one = model.update()
    async let other = model.update()
    #expect(await [one, other] == [true, true])
    #expect(scene.server.requests.count == 1)
  }

  @Test("iOS ends the nightly update: the app's update ends with it")
  func expired() async throws {
    let scene = try FilterAppScene()
    scene.server.set(.silence)
    let model = scene.model(updater: scene.update())
    let nightly = Task { await model.update() }
    while scene.server.requests.isEmpty { await Task.yield() }
    nightly.cancel()
    #expect(await nightly.value == false)
    #expect(!model.isUpdating && model.notice == nil)
  }

  @Test("opening the app updates rules that are older than a day, and no others")
  func start() async throws {
    let scene = try FilterAppScene()
    scene.server.serve(try scene.junk("loan"), tag: "\"1\"")
    let old = RulesUpdate(
      url: FilterAppScene.url, folder: scene.group, transport: scene.server,
      clock: { Date(timeIntervalSinceNow: -FilterModel.updateSeconds - 60) })
    let model = scene.model(updater: old)
    await model.start()
    #expect(scene.server.requests.count == 1)
    await model.start()
    #expect(scene.server.requests.count == 2)
    let fresh = scene.model(
      updater: RulesUpdate(url: FilterAppScene.url, folder: scene.group, transport: scene.server))
    await fresh.start()
    await fresh.start()
    #expect(scene.server.requests.count == 3)
    await scene.model().start()
    #expect(scene.server.requests.count == 3)
  }

  @Test("the nightly update is on, off in Settings, refused, or not known yet")
  func nightly() throws {
    let model = try FilterAppScene().model()
    #expect(model.nightly.isEmpty)
    model.schedule = .scheduled
    #expect(model.nightly == "The rules are updated in the background, usually once a day.")
    model.schedule = .off
    #expect(
      model.nightly
        == "Background App Refresh is off in Settings. The rules are updated when you open the app.")
    model.schedule = .refused(code: 3)
    #expect(
      model.nightly == "iOS does not schedule updates (error 3). The rules are updated when you open the app."
    )
  }

  // MARK: Errors

  @Test(
    "every error has a text and a way out",
    arguments: [
      (.offline, "There is no internet connection.", "Connect to the internet, then try again.", true),
      (.unreachable(code: -1001), "The server can’t be reached (error -1001).", "Try again later.", true),
      (
        .insecureRedirect, "The connection to the server is not secure.", "Try again on another network.",
        true
      ),
      (.refused(status: 500), "The server refused the request (status 500).", "Try again later.", true),
      (.tooLarge, "The server sent a file that is too large.", "Try again later.", true),
      (.damaged(.checksum), "The server sent rules that are damaged.", "Try again later.", true),
      (
        .newerFormat, "The new rules need a newer version of this app.", "Update the app in the App Store.",
        false
      ),
      (
        .diskFull, "There is not enough space for the new rules.",
        "Free up space in Settings › General › iPhone Storage, then try again.", true
      ),
      (
        .disk(code: 513), "The new rules can’t be saved (error 513).", "Restart the iPhone, then try again.",
        true
      ),
      (.inProgress, "Another update is in progress.", "Try again later.", true),
      (.cancelled, "The update was interrupted.", "Try again.", true),
    ] as [(RulesUpdateError, String, String, Bool)])
  func errors(error: RulesUpdateError, text: String, remedy: String, offersUpdate: Bool) async throws {
    let scene = try FilterAppScene()
    let model = scene.model(updater: scene.update())
    scene.server.set(.error(error))
    #expect(await model.update() == false)
    let notice = FilterNotice(text: text, remedy: remedy, offersUpdate: offersUpdate)
    // What the owner has ended is not an error.
    #expect(model.notice == (error == .cancelled ? nil : notice))
    #expect(FilterNotice(error) == notice)
    #expect(model.updateStatus.isEmpty && model.canUpdate)
    // The way out works.
    scene.server.serve(try scene.junk("loan"))
    #expect(await model.update())
    #expect(model.notice == nil)
  }

  @Test(
    "an app that is not set up correctly",
    arguments: [
      (
        .badAddress, "The address of the rules in this app is not valid.", "Update the app in the App Store."
      ),
      (
        .noAppGroup, "The app can’t reach the folder that it shares with its filter.",
        "Delete the app, and install it again."
      ),
    ] as [(RulesUpdateError, String, String)])
  func setup(error: RulesUpdateError, text: String, remedy: String) throws {
    let model = try FilterAppScene().model(setupError: error)
    #expect(model.notice == FilterNotice(text: text, remedy: remedy, offersUpdate: false))
    #expect(!model.hasUpdates && model.rules.detail == "Came with the app")
    model.refresh()
    #expect(model.notice != nil)
  }

  @Test("the running app, without any settings")
  func runningApp() {
    let model = FilterModel()
    #expect(model.rules.title == "No rules" && !model.hasUpdates && model.notice != nil)
  }

  @Test("the server's host is read from the filter's Info.plist")
  func host() throws {
    func info(_ url: String) -> [String: Any] {
      ["NSExtension": ["NSExtensionAttributes": ["ILMessageFilterExtensionNetworkURL": url]]]
    }
    #expect(
      FilterServer.host(inInfo: info("https://filter.example.com/message-filter")) == "filter.example.com")
    #expect(FilterServer.host(inInfo: info("")) == nil)
    #expect(FilterServer.host(inInfo: [:]) == nil)
    let scene = try Workplace()
    let filter = scene.folder.appending(path: "Sample.app/PlugIns/SampleFilter.appex")
    try FileManager.default.createDirectory(at: filter, withIntermediateDirectories: true)
    for (folder, info) in [
      (filter, info("https://filter.example.com/f")),
      (
        filter.deletingLastPathComponent().deletingLastPathComponent(),
        ["CFBundleIdentifier": "com.example.sample"]
      ),
    ] {
      try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
        .write(to: folder.appending(path: "Info.plist"))
    }
    let app = try #require(Bundle(url: scene.folder.appending(path: "Sample.app")))
    #expect(FilterServer.host(in: app) == "filter.example.com")
    #expect(FilterServer.host() == nil)
  }
}
