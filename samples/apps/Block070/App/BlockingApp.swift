// The app's only screen. It is not compiled on Linux.

#if canImport(SwiftUI)

  import CallKit
  import SwiftUI

  @main
  struct BlockingApp: App {
    var body: some Scene {
      WindowGroup { BlockingView() }
    }
  }

  struct BlockingView: View {
    @State private var isOn = AppGroup.folder().map { BlockingFlag($0).isOn } ?? false
    @State private var progress: ReloadProgress?
    @State private var message = ""

    var body: some View {
      Form {
        Toggle("Block", isOn: $isOn).disabled(progress != nil)
        if let progress {
          ProgressView(value: Double(progress.index), total: Double(progress.count)) {
            Text("\(progress.index + 1) of \(progress.count), \(Int(progress.secondsLeft)) s left")
          }
        }
        Text(message)
        Button("Settings") { CXCallDirectoryManager.sharedInstance.openSettings() }
      }
      .onChange(of: isOn) { _, isOn in Task { await load(isOn) } }
    }

    private func load(_ isOn: Bool) async {
      guard let folder = AppGroup.folder() else {
        message = "The app group is missing."
        return
      }
      let blocking = BlockingSwitch(flag: BlockingFlag(folder), extensions: InstalledExtension.all())
      let (stream, continuation) = AsyncStream.makeStream(of: ReloadProgress.self)
      async let outcomes = blocking.set(isOn) { continuation.yield($0) }
      let watching = Task { for await step in stream { progress = step } }
      do {
        message = Self.summary(try await outcomes)
      } catch {
        message = error.localizedDescription
      }
      continuation.finish()
      await watching.value
      progress = nil
    }

    private static func summary(_ outcomes: [ReloadOutcome]) -> String {
      let loaded = outcomes.filter { $0 == .loaded }.count
      let disabled = outcomes.filter { $0 == .disabled }.count
      let rest = outcomes.count - loaded - disabled
      return "\(loaded) loaded, \(disabled) switched off in Settings, \(rest) failed"
    }
  }

#endif
