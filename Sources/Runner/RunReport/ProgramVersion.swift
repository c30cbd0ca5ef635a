// The version of cdpipe, cdpipe-report and cdpipe-server. Their packages compile this file.

package enum ProgramVersion {
  package static let current = "0.1.0"
}
