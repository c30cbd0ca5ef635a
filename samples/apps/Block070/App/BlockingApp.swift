// The app's entry point. Not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  @main
  struct BlockingApp: App {
    @State private var model = BlockingModel()

    init() { LongLoad.register() }

    var body: some Scene {
      WindowGroup {
        NavigationStack { BlockingScreen(model: model) }
      }
    }
  }

#endif
