// A handler with the structure of Xcode's template for Call Directory extensions, as in an app for iOS: it imports only
// Foundation and CallKit, and does not depend on the platform.

import CallKit
import Foundation

class CallDirectoryHandler: CXCallDirectoryProvider {

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self

    // Only the changes, if the phone has loaded the rest before.
    if context.isIncremental {
      addOrRemoveIncrementalBlockingPhoneNumbers(to: context)
      addOrRemoveIncrementalIdentificationPhoneNumbers(to: context)
    } else {
      addAllBlockingPhoneNumbers(to: context)
      addAllIdentificationPhoneNumbers(to: context)
    }

    context.completeRequest()
  }

  private func addAllBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
    let allPhoneNumbers: [CXCallDirectoryPhoneNumber] = [1_408_555_5555, 1_800_555_5555]
    for phoneNumber in allPhoneNumbers {
      autoreleasepool { context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber) }
    }
  }

  private func addOrRemoveIncrementalBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
    let phoneNumbersToAdd: [CXCallDirectoryPhoneNumber] = [1_408_555_1234]
    for phoneNumber in phoneNumbersToAdd {
      context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber)
    }
    let phoneNumbersToRemove: [CXCallDirectoryPhoneNumber] = [1_800_555_5555]
    for phoneNumber in phoneNumbersToRemove {
      context.removeBlockingEntry(withPhoneNumber: phoneNumber)
    }
  }

  private func addAllIdentificationPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
    let allPhoneNumbers: [CXCallDirectoryPhoneNumber] = [1_877_555_5555, 1_888_555_5555]
    let labels = ["Telemarketer", "Local business"]
    for (phoneNumber, label) in zip(allPhoneNumbers, labels) {
      context.addIdentificationEntry(withNextSequentialPhoneNumber: phoneNumber, label: label)
    }
  }

  private func addOrRemoveIncrementalIdentificationPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
    context.addIdentificationEntry(withNextSequentialPhoneNumber: 1_408_555_5678, label: "New local business")
    context.removeIdentificationEntry(withPhoneNumber: 1_888_555_5555)
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {

  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {
    // An app would log it.
  }
}
