// The screen with the user's own numbers and patterns. Not compiled on Linux. Not for what is shown (OwnListModel).

#if canImport(SwiftUI)

  import CallDirectory
  import SwiftUI

  private let texts = TextCatalog("OwnList")

  /// A field to type a number, the rules, and import and export.
  struct OwnListScreen: View {
    @Bindable var model: OwnListModel

    var body: some View {
      Form {
        Section {
          TextField(texts("Number or pattern"), text: $model.entry)
            .textContentType(.telephoneNumber)
            .autocorrectionDisabled()
          if let problem = model.entryProblem { Text(problem).foregroundStyle(.red) }
          TextField(texts("Name (optional)"), text: $model.label)
          Toggle(texts("Allow calls"), isOn: $model.isAllowed)
          Button(texts("Add"), systemImage: "plus") { Task { await model.add() } }.disabled(!model.canAdd)
        } footer: {
          Text(
            texts(
              "In a pattern, # stands for any of the last digits: +33 6 12 ## ## ##. A number that you allow is neither blocked nor named, even if the list has it."
            ))
        }
        if let problem = model.problem {
          Section { Text(problem).foregroundStyle(.red) }
        }
        Section {
          ForEach(model.rules, id: \.pattern) { rule in
            HStack {
              LabeledContent(rule.pattern, value: model.text(of: rule))
              Button(texts("Remove"), systemImage: "trash", role: .destructive) {
                Task { await model.remove(rule) }
              }
            }
          }
          ShareLink(texts("Export"), item: model.exported)
          PasteButton(payloadType: String.self) { pasted in
            Task { @MainActor in await model.add(text: pasted.joined(separator: "\n")) }
          }
        } footer: {
          Text(texts("Paste adds the numbers of a text: one in a line, in international form."))
        }
      }
      .navigationTitle(texts("My Numbers"))
    }
  }

#endif
