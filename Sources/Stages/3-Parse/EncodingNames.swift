// The hint for an encoding that iconv does not support.

import Records

package enum EncodingNames {
  /// Suggests a tested encoding with a similar name, or the lists of all.
  package static func hint(_ name: String) -> String {
    KeySuggestion.nearest(name, KnownEncoding.all.map(\.name)).map { "did you mean '\($0)'?" }
      ?? "'cdpipe parse --encodings' lists those of most lists, 'iconv -l' all that this system has"
  }
}
