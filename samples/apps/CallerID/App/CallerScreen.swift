// The screen with the state of the list. Not compiled on Linux. Not for what is shown (CallerModel).

#if canImport(SwiftUI)

  import SwiftUI

  private let texts = TextCatalog("Caller")

  /// The updates, a lookup, and the extensions.
  struct CallerScreen: View {
    @Bindable var model: CallerModel

    @Environment(\.scenePhase) private var phase

    var body: some View {
      Form {
        Section {
          if let progress = model.directory.progress {
            ProgressRow(progress: progress) { model.cancel() }
          } else {
            Text(model.directory.lastUpdateText)
            Button(texts("Update Now")) { Task { await model.update() } }.disabled(!model.canUpdate)
          }
        } header: {
          Text(texts("List"))
        } footer: {
          Text(model.nightlyText ?? "")
        }
        NoticeSection(model: model.directory) { await model.update() }
        if let own = model.own {
          Section { NavigationLink(texts("My Numbers")) { OwnListScreen(model: own) } }
        }
        LookupSection(model: model.directory)
        ExtensionsSection(model: model.directory)
        DiagnosticsSection { model.diagnostics }
      }
      .navigationTitle(texts("Caller ID"))
      // The user may have been in Settings.
      .onChange(of: phase, initial: true) { _, phase in
        if phase == .active { Task { await model.start() } }
      }
    }
  }

#endif
