// The screen with the app's only switch. Not compiled on Linux. Not for what is shown (BlockingModel).

#if canImport(SwiftUI)

  import SwiftUI

  private let texts = TextCatalog("Blocking")

  /// The switch, its progress, a lookup, and the extensions.
  struct BlockingScreen: View {
    @Bindable var model: BlockingModel

    @Environment(\.scenePhase) private var phase

    var body: some View {
      Form {
        Section {
          Toggle(texts("Block Calls"), isOn: $model.isWanted).disabled(!model.canSwitch)
          if let progress = model.directory.progress {
            ProgressRow(progress: progress) { model.cancel() }
          }
        } footer: {
          Text(model.status)
        }
        NoticeSection(model: model.directory) { await model.load() }
        LookupSection(model: model.directory)
        ExtensionsSection(model: model.directory)
        DiagnosticsSection { model.directory.diagnostics }
      }
      .navigationTitle(texts("Call Blocking"))
      // The user may have been in Settings.
      .onChange(of: phase, initial: true) { _, phase in
        if phase == .active { Task { await model.refresh() } }
      }
    }
  }

#endif
