// An extension's handler and an app's code, as in an Xcode project, on the simulated phone.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import FrameworkServices
import SimulatedPhone
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// The folder of the handler's files; in an app, that is the folder of its app group.
private let folder = Mutex("")

/// A complete extension.
private final class CallDirectoryHandler: CXCallDirectoryProvider {
  private var files: ExtensionFiles { ExtensionFiles(folder: folder.withLock { $0 }) }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    context.load(files)
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    files.requestFailed()
  }
}

extension OnePhone {
  @Suite("Reloading an extension through CallKit")
  struct ExtensionReloadTests {
    private static let name = "com.example.app.directory"

    @Test("an app reloads until everything is loaded, and a call shows the result")
    func reload() async throws {
      let place = try TemporaryDirectory()
      folder.withLock { $0 = place.path }
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      defer { services.uninstall() }
      try services.phone.install(Self.name, .handler { CallDirectoryHandler() })
      try StoreFiles.write(
        [TestRecord(15_550_100, "a"), TestRecord(15_550_200, to: 15_550_299, "b!")],
        to: place / "numbers.cdstore")
      try StoreFiles.write([TestRecord(15_550_100, "a")], to: place / "bootstrap.cdstore")

      #expect(services.phone.switchOn(Self.name).failure == nil)
      #expect(try services.phone.entryCounts(Self.name) == EntryCounts(identification: 1))
      let files = ExtensionFiles(folder: place.path)
      // The extension learns shortly after the phone that its request succeeded.
      while try files.progress().next == .bootstrap { await Task.yield() }
      var reports: [LoadProgress] = []
      try await CXCallDirectoryManager.sharedInstance.reload(Self.name, with: files) { reports.append($0) }
      #expect(reports == [LoadProgress(next: .store(after: nil), entriesToCome: 101)])
      #expect(
        try services.phone.answer(IncomingCall(from: "+15550100")) == .identified(label: "a", by: Self.name))
      #expect(
        try services.phone.answer(IncomingCall(from: "+15550250")) == .blocked(by: .extension(Self.name)))

      try StoreFiles.write([TestRecord(15_550_100, "z")], to: place / "new")
      _ = try StoreFiles.makeDeltas(in: place, from: "numbers.cdstore", to: "new", entriesMax: 1000)
      reports = []
      try await CXCallDirectoryManager.sharedInstance.reload(
        Self.name, with: ExtensionFiles(folder: place.path)
      ) {
        reports.append($0)
      }
      #expect(reports == [LoadProgress(next: .delta(0, after: nil), entriesToCome: 1)])
      #expect(try services.phone.entryCounts(Self.name) == EntryCounts(identification: 1))
      #expect(
        try services.phone.answer(IncomingCall(from: "+15550100")) == .identified(label: "z", by: Self.name))
    }

    /// A phone with an extension that is off, and its store of one number.
    private static func oneNumber() throws -> (TemporaryDirectory, FrameworkServices, ExtensionFiles) {
      let place = try TemporaryDirectory()
      folder.withLock { $0 = place.path }
      let services = FrameworkServices(try SimulatedPhone())
      services.install()
      try services.phone.install(name, .handler { CallDirectoryHandler() })
      try StoreFiles.write([TestRecord(15_550_100, "a")], to: place / "numbers.cdstore")
      return (place, services, ExtensionFiles(folder: place.path))
    }

    @Test("the app gets iOS's error, and stops reloading an extension that loads nothing")
    func failures() async throws {
      let (place, services, files) = try Self.oneNumber()
      defer { services.uninstall() }
      do {
        try await CXCallDirectoryManager.sharedInstance.reload(Self.name, with: files)
        Issue.record("a disabled extension was loaded")
      } catch let error as CXErrorCodeCallDirectoryManagerError {
        #expect(error.code == .extensionDisabled)
      }
      #expect(services.phone.switchOn(Self.name).failure == nil)
      try services.phone.update(Self.name, .inProcess { request in _ = request.complete() })
      try StoreFiles.write([TestRecord(15_550_101, "a")], to: place / "numbers.cdstore")
      await #expect(throws: ExtensionReloadError.noProgress) {
        try await CXCallDirectoryManager.sharedInstance.reload(Self.name, with: files)
      }
    }

    @Test("an extension that iOS can't start keeps its entries: code 102 is not a failed load")
    func unavailable() async throws {
      let (place, services, files) = try Self.oneNumber()
      defer { services.uninstall() }
      defer { _ = place }
      #expect(services.phone.switchOn(Self.name).failure == nil)
      try await CXCallDirectoryManager.sharedInstance.reload(Self.name, with: files)
      #expect(try files.progress().isComplete)
      try services.phone.makeUnavailable(Self.name)
      do {
        try await CXCallDirectoryManager.sharedInstance.reload(Self.name, with: files)
        Issue.record("an unavailable extension was loaded")
      } catch {
        #expect(
          (error as NSError).domain == CXErrorDomainCallDirectoryManager && (error as NSError).code == 102)
      }
      #expect(try files.progress().isComplete)
    }

    @Test("iOS that never answers is not waited for; one that answers twice is heard once")
    func answers() async throws {
      let (place, services, files) = try Self.oneNumber()
      defer { services.uninstall() }
      defer { _ = place }
      let manager = CXCallDirectoryManager.sharedInstance
      services.setAnswers(status: .twice, reload: .twice)
      #expect(try await manager.status(of: Self.name) == .disabled)
      #expect(services.phone.switchOn(Self.name).failure == nil)
      #expect(try await manager.status(of: Self.name) == .enabled)
      try await manager.reload(Self.name, with: files)
      #expect(try files.progress().isComplete)
      services.setAnswers(status: .never, reload: .never)
      await #expect(throws: ExtensionReloadError.noAnswer) {
        try await manager.status(of: Self.name, secondsMax: 0.01)
      }
      await #expect(throws: ExtensionReloadError.noAnswer) {
        try await manager.reload(Self.name, with: files, secondsMax: 0.01)
      }
      // Nobody knows what iOS has: the next load replaces everything.
      services.setAnswers()
      while services.phone.extensionState(Self.name) == .loading { await Task.yield() }
      #expect(try files.progress().next == .store(after: nil))
      try await manager.reload(Self.name, with: files)
      #expect(services.phone.lastOutcome(Self.name)?.report.identificationAdded == 1)
      #expect(try files.progress().isComplete)
    }

    @Test("a reload may take minutes, and longer if there is more to load")
    func seconds() {
      #expect(CXCallDirectoryManager.statusSecondsMax == 10)
      #expect(CXCallDirectoryManager.reloadSecondsMax(entries: 0) == 120)
      #expect(CXCallDirectoryManager.reloadSecondsMax(entries: 2_000_000) == 520)
    }
  }
}
