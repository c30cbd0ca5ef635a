// The generator's interface: metadata in, C text out. A library so that a test can check whether the committed tables
// are up to date. Not for files and arguments (the generate-number-plan program).

public import Foundation

/// Converts libphonenumber's `PhoneNumberMetadata.xml` to the tables of CNumberPlanTables.
public enum NumberPlanGenerator {
  /// Generates the text of `NumberPlanTables.c`; the same for the same arguments.
  ///
  /// - Parameters:
  ///   - metadata: the whole XML file.
  ///   - version: the libphonenumber release of the file, such as `9.0.35`, which the file does not contain.
  /// - Throws: `GenerationError` if the XML or a pattern in it is not supported.
  /// - Complexity: a few seconds for all territories.
  public static func tables(fromMetadata metadata: Data, version: String) throws -> String {
    guard !version.isEmpty,
      version.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLetter || ".-".contains($0)) })
    else { throw GenerationError("'\(version)' is not a version") }
    let builder = try TableBuilder(try MetadataReader.read(metadata))
    return try TableWriter(builder).text(version: version, fingerprint: fingerprint(of: metadata))
  }

  /// FNV-1a, 64 bits, to distinguish metadata files.
  public static func fingerprint(of metadata: Data) -> UInt64 {
    metadata.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
