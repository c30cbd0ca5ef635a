// libzip as `cdpipe version` reports it.

import CLibraries
package import SystemIO

extension RuntimeLibrary {
  /// libzip. Opens it.
  package static var zip: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_zip_library_name()), command: "unzip", isUsable: cdp_zip_load() == 0)
  }
}
