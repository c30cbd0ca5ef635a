// Formats a run's report as one HTML page: the values are inserted into the template, which escapes them.
//
// Not for computing the values (PageContext) or for reading and writing files (cdpipe-report).

import Mustache
package import RunReport

/// Formats reports as HTML.
package enum ReportPage {
  /// Returns the page as one file, without scripts and without resources to fetch.
  ///
  /// The template escapes everything from the report: labels and rejected rows are untrusted text.
  package static func html(_ report: RunReport) throws -> String {
    PageText.register()
    let template = try MustacheTemplate(string: PageTemplate.text)
    return template.render(PageContext(report))
  }
}
