// A run's report as one page of HTML: the page's values go into the template, which escapes them.
//
// Not for: which values those are (PageContext), or reading and writing files (cdpipe-report).

import Mustache
package import RunReport

/// The page of a report.
package enum ReportPage {
  /// The page: one file, without scripts, with nothing to be fetched.
  ///
  /// Everything that comes from the report is escaped by the template; labels and rejected rows are anybody's text.
  package static func html(_ report: RunReport) throws -> String {
    PageText.register()
    let template = try MustacheTemplate(string: PageTemplate.text)
    return template.render(PageContext(report))
  }
}
