// The app's entry point. Not compiled on Linux.

#if canImport(SwiftUI)

  import SwiftUI

  #if canImport(Intents)
    import Intents
  #endif

  @main
  struct CallsApp: App {
    private let calls: AppCalls

    /// Runs at every launch, also when a push launches the app in the background.
    init() {
      let transport = StandInTransport()
      // Ask CNContactStore here, if the user allows the app to read contacts: the store's names then don't replace
      // those of contacts, and no contact is declined.
      calls = AppCalls(transport: transport, isContact: { _ in false }) { token in
        // Send the token to your server, in hexadecimal digits; nil: the previous one is not valid any more.
        print("Token for pushes:", token.map { $0.map { String(format: "%02x", $0) }.joined() } ?? "none")
      }
      transport.manager = calls.manager
    }

    var body: some Scene {
      WindowGroup {
        NavigationStack { screen }
      }
    }

    private var screen: some View {
      #if canImport(Intents)
        // A tap on a recent call in the Phone app. Info.plist: NSUserActivityTypes with INStartCallIntent.
        CallsScreen(model: calls.model)
          .onContinueUserActivity("INStartCallIntent") { activity in
            let intent = activity.interaction?.intent as? INStartCallIntent
            guard let handle = intent?.contacts?.first?.personHandle?.value else { return }
            let video = intent?.callCapability == .videoCall
            Task { await calls.model.callBack(handle, video: video) }
          }
      #else
        CallsScreen(model: calls.model)
      #endif
    }
  }

#endif
