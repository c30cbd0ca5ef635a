// libcurl as `cdpipe version` reports it.

import CLibraries
package import SystemIO

extension RuntimeLibrary {
  /// libcurl. Opens it.
  package static var curl: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_curl_library_name()), command: "download",
      isUsable: cdp_curl_load() == 0)
  }
}
