// The app's entry point. It is not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct LookupApp: App {
    @State private var model = LookupModel(LookupControl())

    var body: some Scene {
      WindowGroup {
        NavigationStack { LookupScreen(model: model) }
      }
    }
  }

#endif
