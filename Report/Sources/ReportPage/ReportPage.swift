// Formats a run's report, or the versions of a published folder, as one HTML page: the values are inserted into the
// template, which escapes them.
//
// Not for computing the values (PageContext, IndexContext) or for reading and writing files (cdpipe-report).

import Mustache
package import RunReport

/// Formats reports as HTML.
package enum ReportPage {
  /// Returns the page as one file, without scripts and without resources to fetch.
  ///
  /// The template escapes everything from the report: labels and rejected rows are untrusted text.
  package static func html(_ report: RunReport) throws -> String {
    PageText.register()
    return try MustacheTemplate(string: PageTemplate.report).render(PageContext(report))
  }

  /// Returns the index of a published folder as one file, in the same way.
  package static func html(_ index: VersionIndex) throws -> String {
    PageText.register()
    return try MustacheTemplate(string: PageTemplate.index).render(IndexContext(index))
  }
}
