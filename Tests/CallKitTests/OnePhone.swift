// Apple's frameworks have one phone in a process, so the tests that install one run one after another.

import TestSupport
import Testing

/// The tests that install a phone.
@Suite("One phone at a time", .serialized, .onePhoneAtATime)
enum OnePhone {}
