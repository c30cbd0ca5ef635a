// The app's entry point. Not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct CodesApp: App {
    @State private var model = CodesModel()

    init() { LongLoad.register() }

    var body: some Scene {
      WindowGroup {
        NavigationStack { CodesScreen(model: model) }
      }
    }
  }

#endif
