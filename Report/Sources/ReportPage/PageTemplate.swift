// The Mustache templates of the pages. Every tag escapes its value, as PageText does.
//
// Not for colours and layout (PageStyle).

enum PageTemplate {
  /// The beginning of a page up to its title. The page fetches nothing and runs no scripts; its
  /// Content-Security-Policy forbids both.
  private static let head = #"""
    {{% CONTENT_TYPE: PAGE}}<!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">

    """#

  /// A sentence in which ids are cut.
  private static func sentence(_ name: String) -> String {
    "{{#\(name)}}{{text}}{{#id}}<code title=\"{{id}}\">{{short}}</code>{{/id}}{{/\(name)}}"
  }

  private static let headline = #"""
    {{#headline}}
    <section class="hero" aria-label="Summary">
    {{#caption}}<p class="about">{{.}}</p>{{/caption}}
    <p class="figures" aria-hidden="true">{{#figures}}<span class="{{colour}}">{{text}}{{#unit}} <small>{{.}}</small>{{/unit}}</span> {{/figures}}</p>
    <p class="unseen">{{words}}</p>
    {{#hasAbout}}<p class="below">
    """# + sentence("about") + #"""
      </p>{{/hasAbout}}
      </section>
      {{/headline}}

      """#

  /// Facts as a list of names and values.
  private static let facts = #"""
    {{#facts}}<div><dt>{{name}}</dt><dd{{#whole}} title="{{.}}"{{/whole}}><bdi>{{value}}</bdi></dd></div>
    {{/facts}}
    """#

  /// A PageTable. Roles keep its meaning where the style turns rows into blocks.
  private static let table = #"""
    <table data-table="{{id}}"{{#isWide}} class="{{style}}" role="table"{{/isWide}}>
    <thead{{#isWide}} role="rowgroup"{{/isWide}}><tr{{#isWide}} role="row"{{/isWide}}>{{#columns}}<th scope="col"{{#isFigure}} class="figure"{{/isFigure}}{{#isWide}} role="columnheader"{{/isWide}}>{{text}}</th>{{/columns}}</tr></thead>
    <tbody{{#isWide}} role="rowgroup"{{/isWide}}>{{#rows}}<tr{{#isWide}} role="row"{{/isWide}}>{{#cells}}{{#isHeader}}<th scope="row"{{#isWide}} role="rowheader"{{/isWide}}{{#whole}} title="{{.}}"{{/whole}}><bdi>{{text}}</bdi></th>{{/isHeader}}{{^isHeader}}<td class="{{#isFigure}}figure {{/isFigure}}{{colour}}"{{#isWide}} role="cell" data-label="{{label}}"{{/isWide}}><bdi>{{text}}</bdi></td>{{/isHeader}}{{/cells}}</tr>
    {{/rows}}</tbody></table>
    """#

  /// A BarChart. `name` is part of the ids in it.
  private static let bars = #"""
    {{#chart}}{{^isEmpty}}<svg role="img" width="100%" height="{{height}}"><title>{{words}}</title>
    {{#bars}}<text class="name" x="0" y="{{textY}}">{{name}}</text><text class="value" x="100%" y="{{textY}}" text-anchor="end">{{figure}}</text>
    <rect class="track" x="0" y="{{barY}}" width="100%" height="10" rx="3"/><rect class="{{colour}}" x="0" y="{{barY}}" width="{{width}}" height="10" rx="3"/><rect class="rest" x="{{restX}}" y="{{barY}}" width="{{restWidth}}" height="10"/>
    {{/bars}}</svg>{{/isEmpty}}{{/chart}}
    """#

  /// A TrendChart; the places from top to bottom are those of its `VerticalPlace`.
  private static let trend = #"""
    {{#chart}}<svg class="trend" role="img" width="100%" height="{{height}}"><title>{{words}}</title>
    <text class="value" x="0" y="14">{{most}}</text>
    <line class="grid" x1="0" y1="26" x2="100%" y2="26"/><line class="grid" x1="0" y1="126" x2="100%" y2="126"/>
    {{#hasRange}}<text class="value" x="0" y="142">{{fewest}}</text>{{/hasRange}}
    {{#segments}}<line class="path" x1="{{x1}}" y1="{{y1}}" x2="{{x2}}" y2="{{y2}}"/>{{/segments}}
    {{#hasChanges}}<text class="plus" x="0" y="166">{{mostAdded}}</text><text class="minus" x="0" y="282">{{mostRemoved}}</text>
    <line class="grid" x1="0" y1="{{zeroY}}" x2="100%" y2="{{zeroY}}"/>{{/hasChanges}}
    {{#hasRelabelled}}<text class="turn" x="0" y="302">{{mostRelabelled}} relabelled</text><line class="grid" x1="0" y1="336" x2="100%" y2="336"/>{{/hasRelabelled}}
    {{#points}}<g><title>{{words}}</title><rect class="slot" x="{{slotX}}" y="0" width="{{slotWidth}}" height="{{height}}"/><circle class="{{colour}}" cx="{{x}}" cy="{{y}}" r="2.5"/><rect class="plus" x="{{barX}}" y="{{addedY}}" width="{{barWidth}}" height="{{addedHeight}}"/><rect class="minus" x="{{barX}}" y="{{zeroY}}" width="{{barWidth}}" height="{{removedHeight}}"/><rect class="turn" x="{{barX}}" y="{{relabelledY}}" width="{{barWidth}}" height="{{relabelledHeight}}"/></g>
    {{/points}}<text class="value" x="0" y="{{dateY}}">{{from}}{{^isFull}} to {{to}}{{/isFull}}</text>{{#isFull}}<text class="value" x="100%" y="{{dateY}}" text-anchor="end">{{to}}</text>{{/isFull}}
    </svg>
    <p class="about">Line: the numbers of each version, and the current one as a large point{{#hasWithdrawn}}; a hollow point was rolled back{{/hasWithdrawn}}.{{#hasChanges}} Bars: numbers <span class="plus">added</span>, <span class="minus">removed</span>{{#hasRelabelled}} and <span class="turn">relabelled</span>{{/hasRelabelled}} since the version before, with the largest of each.{{/hasChanges}}</p>
    {{/chart}}
    """#

  private static let style = "<style>\n" + PageStyle.text + "</style>\n</head>\n<body>\n"

  /// The template of a run's report.
  static let report =
    head + "<title>{{title}}: {{status}}</title>\n" + style + #"""
      <header>
      <p class="eyebrow">cdpipe {{version}} · report of a run</p>
      <h1><bdi>{{title}}</bdi> <span class="status {{statusClass}}">{{status}}</span></h1>
      <p class="when">{{started}}{{#file}} · <bdi>{{.}}</bdi>{{/file}}</p>
      </header>
      <main>
      {{#failure}}
      <section class="box bad" aria-labelledby="failure">
      <h2 id="failure">Why it failed</h2>
      <p><bdi>{{message}}</bdi></p>
      {{#hint}}<p>Hint: <bdi>{{.}}</bdi></p>{{/hint}}
      <p class="about">
      """# + sentence("current") + #"""
       Exit status {{exitStatus}}.</p>
      </section>
      {{/failure}}

      """# + headline + #"""
      {{#hasSourceErrors}}
      <section class="box warn" aria-labelledby="trouble">
      <h2 id="trouble">Sources that could not be used</h2>
      <dl class="troubles" data-list="trouble">
      {{#sourceErrors}}<div><dt><bdi>{{source}}</bdi></dt><dd class="remedy">{{remedy}}</dd><dd><bdi>{{message}}</bdi></dd></div>
      {{/sourceErrors}}</dl>
      </section>
      {{/hasSourceErrors}}
      {{#changes}}
      <div class="pair even">
      {{#breakdowns}}
      <section aria-labelledby="{{id}}">
      <h2 id="{{id}}">{{title}}</h2>
      <table class="changes" data-table="{{id}}">
      <thead><tr><th scope="col">{{column}}</th><th scope="col" class="figure">added</th><th scope="col" class="figure">removed</th>{{#hasRelabelled}}<th scope="col" class="figure">relabelled</th>{{/hasRelabelled}}</tr></thead>
      <tbody>{{#lines}}<tr><th scope="row"><bdi>{{name}}</bdi><svg width="100%" height="6" aria-hidden="true"><rect class="plus" x="0" y="0" width="{{addedWidth}}" height="6"/><rect class="minus" x="{{removedX}}" y="0" width="{{removedWidth}}" height="6"/><rect class="turn" x="{{relabelledX}}" y="0" width="{{relabelledWidth}}" height="6"/></svg></th>{{#counts}}<td class="figure {{colour}}">{{text}}</td>{{/counts}}</tr>
      {{/lines}}</tbody></table>
      </section>
      {{/breakdowns}}
      </div>
      {{#hasGroups}}
      <section aria-labelledby="changed-examples">
      <h2 id="changed-examples">Changed numbers</h2>
      <div class="groups">
      {{#groups}}<div>
      <h3 class="{{colour}}">{{title}}</h3>
      <ul class="numbers">{{#examples}}<li><code>{{numbers}}</code> <bdi>{{#before}}<s>{{.}}</s> {{/before}}{{label}}</bdi></li>
      {{/examples}}</ul>
      </div>
      {{/groups}}</div>
      </section>
      {{/hasGroups}}
      {{/changes}}
      {{#history}}
      <section aria-labelledby="history">
      <h2 id="history">{{title}}</h2>

      """# + trend + #"""

      <details><summary>All versions</summary>
      {{#table}}
      """# + table + #"""
      {{/table}}
      </details>
      </section>
      {{/history}}
      <section aria-labelledby="run">
      <h2 id="run">The run</h2>
      <dl class="facts">
      """# + facts + #"""
      </dl>
      {{#published}}<dl class="lines" data-list="published">
      """# + facts + #"""
      </dl>{{/published}}
      </section>
      {{#funnel}}
      <section aria-labelledby="stages">
      <h2 id="stages">Rows by stage</h2>
      <p class="about">Each source in per cent of its own rows: what a stage passed on, and in orange what it did not. {{note}}</p>
      <div class="cards">
      {{#groups}}<div class="card"><h3><bdi>{{name}}</bdi> <span class="about">{{about}}</span></h3>

      """# + bars + #"""
      </div>
      {{/groups}}</div>
      {{#table}}<details><summary>All figures</summary>

      """# + table + #"""
      </details>{{/table}}
      </section>
      {{/funnel}}
      {{#sections}}
      <section aria-labelledby="{{id}}">
      <h2 id="{{id}}">{{title}}</h2>
      <p class="about">{{about}}</p>
      <div class="pair">
      <figure>
      """# + bars + #"""
      </figure>
      {{#table}}<details{{^isLong}} open{{/isLong}}><summary>All figures</summary>

      """# + table + #"""
      </details>{{/table}}
      </div>
      </section>
      {{/sections}}
      {{#hasRejects}}
      <section aria-labelledby="examples">
      <h2 id="examples">Examples of rejected rows</h2>
      {{#rejects}}
      <h3><code>{{reason}}</code> <span class="about">{{stage}}: {{words}}</span></h3>
      <ul class="examples">
      {{#examples}}<li><span class="about"><bdi>{{place}}</bdi></span><br><code><bdi>{{text}}</bdi></code></li>
      {{/examples}}</ul>
      {{/rejects}}
      </section>
      {{/hasRejects}}
      {{#hasOutputs}}
      <section aria-labelledby="outputs">
      <h2 id="outputs">Outputs</h2>
      {{#outputs}}
      <h3><bdi title="{{path}}">{{#parts}}{{.}}<wbr>{{/parts}}</bdi> <span class="about">{{format}}</span></h3>
      {{#change}}<p>{{.}}</p>{{/change}}
      <dl class="lines">
      """# + facts + #"""
      </dl>
      {{#shards}}<details><summary>Shards</summary>

      """# + table + #"""
      </details>{{/shards}}
      {{/outputs}}
      </section>
      {{/hasOutputs}}
      </main>
      </body>
      </html>

      """#

  /// The template of the index of a published folder.
  static let index =
    head + "<title>{{title}}: runs and versions</title>\n" + style + #"""
      <header>
      <p class="eyebrow">cdpipe {{version}} · runs and versions</p>
      <h1><bdi>{{title}}</bdi></h1>
      <p class="when">as of {{written}}</p>
      </header>
      <main>
      {{#failure}}
      <section class="box bad" aria-labelledby="failure">
      <h2 id="failure">The last run failed</h2>
      <p><bdi>{{message}}</bdi></p>
      {{#hint}}<p>Hint: <bdi>{{.}}</bdi></p>{{/hint}}
      <p class="about">Nothing was published. Exit status {{exitStatus}}.</p>
      </section>
      {{/failure}}

      """# + headline + #"""
      <dl class="facts">
      """# + facts + #"""
      </dl>
      {{#chart}}<section aria-labelledby="history">
      <h2 id="history">{{chartTitle}}</h2>
      {{/chart}}
      """# + trend + #"""
      {{#chart}}</section>{{/chart}}
      {{#hasMonths}}
      <section aria-labelledby="versions">
      <h2 id="versions">Runs and versions</h2>
      {{#months}}
      <h3>{{name}}</h3>
      {{#table}}
      """# + table + #"""
      {{/table}}
      {{/months}}
      </section>
      {{/hasMonths}}
      </main>
      </body>
      </html>

      """#
}
