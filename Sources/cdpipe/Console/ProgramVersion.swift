// The program's version, for --version, reports, and the User-Agent of downloads.

enum ProgramVersion {
  static let current = "0.1.0"
}
