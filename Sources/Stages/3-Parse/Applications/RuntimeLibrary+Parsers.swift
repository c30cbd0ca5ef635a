// expat and SQLite as `cdpipe version` reports them.

import CLibraries
package import SystemIO

extension RuntimeLibrary {
  /// expat, for XML. Opens it.
  package static var expat: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_xml_library_name()), command: "parse", isUsable: cdp_xml_load() == 0)
  }

  /// SQLite, for databases. Opens it.
  package static var sqlite: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_sqlite_library_name()), command: "parse",
      isUsable: cdp_sqlite_load() == 0)
  }
}
