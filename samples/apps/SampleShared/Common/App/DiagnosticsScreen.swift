// The part of a screen that copies a report for support. Not compiled on Linux. Not for what is in it (Diagnostics).

#if canImport(SwiftUI)

  import SwiftUI
  import UIKit

  private let texts = TextCatalog("Common")

  /// A button that copies a report to the pasteboard.
  struct DiagnosticsSection: View {
    let report: @MainActor () -> Diagnostics

    @State private var isCopied = false

    var body: some View {
      Section {
        Button(
          isCopied ? texts("Copied") : texts("Copy Diagnostics"),
          systemImage: isCopied ? "checkmark" : "doc.on.doc"
        ) {
          UIPasteboard.general.string = report().text
          isCopied = true
        }
      } footer: {
        Text(texts("For support: states, errors, versions and sizes. No phone numbers, names or messages."))
      }
    }
  }

#endif
