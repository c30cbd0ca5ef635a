// Reads the reports of runs.

import ArgumentParser
import FoundationEssentials
import Records
import Runner
import SystemIO

/// Reads reports.
enum ReportReading {
  /// The maximum size of a report in bytes. That of 20,000 sources has some 10 MB.
  private static let bytesMax = 64 << 20

  /// Reads a report in JSON. Prints why it can't be read, and throws the exit status.
  static func report(_ path: String, _ diagnostics: Diagnostics) throws -> RunReport {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: bytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    guard bytes.count <= bytesMax, let report = try? JSONDecoder().decode(RunReport.self, from: Data(bytes)),
      report.format == RunReport.format
    else {
      throw diagnostics.end(HistoryMessages.notAReport(path), ExitStatus.badData)
    }
    guard report.version <= RunReport.version else {
      throw diagnostics.end(HistoryMessages.newerReport(path, version: report.version), ExitStatus.badData)
    }
    return report
  }
}
