// An extension as a process of its own, for the tests of the simulated phone: what it does goes by its arguments.

import CallKit
import FrameworkServices

ExtensionProcess.runIfRequested { _ in ProgramHandler(CommandLine.arguments) }
print("extension-program: not started by a simulated phone")
