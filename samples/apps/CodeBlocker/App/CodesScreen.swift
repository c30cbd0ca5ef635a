// The screen with the area codes. Not compiled on Linux. Not for what is shown (CodesModel).

#if canImport(SwiftUI)

  import SwiftUI

  private nonisolated let texts = TextCatalog("Codes")

  /// A field to type a code, the codes, the button that applies them, and the extensions.
  struct CodesScreen: View {
    @Bindable var model: CodesModel

    @Environment(\.scenePhase) private var phase

    var body: some View {
      Form {
        Section {
          TextField(texts("Area code"), text: $model.entry)
            .keyboardType(.numberPad)
            .onSubmit { model.add() }
          if let problem = model.entryProblem { Text(problem).foregroundStyle(.red) }
          Button(texts("Add"), systemImage: "plus") { model.add() }.disabled(!model.canAdd)
        } footer: {
          Text(model.capacity)
        }
        Section {
          ForEach(model.list.codes, id: \.self) { code in
            HStack {
              Text("+1 \(code.text)")
              Spacer()
              Button(texts("Remove"), systemImage: "trash", role: .destructive) { model.remove(code) }
            }
          }
          Button(texts("Apply"), systemImage: "checkmark") { Task { await model.apply() } }
            .disabled(!model.canApply)
          if let progress = model.directory.progress {
            ProgressRow(progress: progress) { model.cancel() }
          }
        } header: {
          Text(texts("Blocked Area Codes"))
        } footer: {
          Text(model.status)
        }
        NoticeSection(model: model.directory) { await model.apply() }
        ExtensionsSection(model: model.directory)
        DiagnosticsSection { model.directory.diagnostics }
      }
      .navigationTitle(texts("Area Codes"))
      // The user may have been in Settings.
      .onChange(of: phase, initial: true) { _, phase in
        if phase == .active { Task { await model.refresh() } }
      }
    }
  }

#endif
