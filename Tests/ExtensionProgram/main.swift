// An extension in its own process, for the tests of the simulated phone; its arguments select what it does.

import CallKit
import FrameworkServices

ExtensionProcess.runIfRequested { _ in ProgramHandler(CommandLine.arguments) }
print("extension-program: not started by a simulated phone")
