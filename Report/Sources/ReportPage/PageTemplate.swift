// The page's Mustache template and its style. Every tag escapes its value, as PageText does.

enum PageTemplate {
  /// The template of the page. The page fetches nothing and runs no scripts; its Content-Security-Policy forbids both.
  static let text = #"""
    {{% CONTENT_TYPE: PAGE}}<!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <title>{{title}}: {{status}}</title>
    <style>
    """# + style + #"""
      </style>
      </head>
      <body>
      <header>
      <p class="eyebrow">cdpipe {{version}}</p>
      <h1><bdi>{{title}}</bdi> <span class="status {{statusClass}}">{{status}}</span></h1>
      <p class="when">{{started}}{{#file}} · <bdi>{{.}}</bdi>{{/file}}</p>
      </header>
      <main>
      {{#failure}}
      <section class="failure" aria-labelledby="failure">
      <h2 id="failure">Why it failed</h2>
      <p><bdi>{{message}}</bdi></p>
      {{#hint}}<p>Hint: <bdi>{{.}}</bdi></p>{{/hint}}
      <p>Exit status {{exitStatus}}. No output was written.</p>
      </section>
      {{/failure}}
      {{#published}}
      <section class="published {{colour}}" aria-labelledby="published">
      <h2 id="published">Published version</h2>
      <p>{{outcome}}</p>
      <dl class="lines">
      {{#facts}}<div><dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd></div>
      {{/facts}}</dl>
      </section>
      {{/published}}
      {{#hasSourceErrors}}
      <section aria-labelledby="trouble">
      <h2 id="trouble">Sources that could not be used</h2>
      <div class="wide" tabindex="0" role="region" aria-labelledby="trouble">
      <table data-table="trouble">
      <thead><tr><th scope="col">source</th><th scope="col">action</th><th scope="col">reason</th></tr></thead>
      <tbody>
      {{#sourceErrors}}<tr><td><bdi>{{source}}</bdi></td><td>{{remedy}}</td><td><bdi>{{message}}</bdi></td></tr>
      {{/sourceErrors}}</tbody></table>
      </div>
      </section>
      {{/hasSourceErrors}}
      <dl class="facts">
      {{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>
      {{/facts}}</dl>
      {{#sections}}
      <section aria-labelledby="{{id}}">
      <h2 id="{{id}}">{{title}}</h2>
      <p class="about">{{about}}</p>
      <div class="pair">
      {{#chart}}{{^isEmpty}}<figure>
      <svg role="img" aria-labelledby="{{id}}-chart" width="100%" height="{{height}}">
      <title id="{{id}}-chart">{{words}}</title>
      {{#bars}}<text class="name" x="0" y="{{textY}}">{{name}}</text><text class="figure" x="100%" y="{{textY}}" text-anchor="end">{{figure}}</text>
      <rect class="track" x="0" y="{{barY}}" width="100%" height="10" rx="3"/><rect class="{{colour}}" x="0" y="{{barY}}" width="{{width}}" height="10" rx="3"/><rect class="rest" x="{{restX}}" y="{{barY}}" width="{{restWidth}}" height="10"/>
      {{/bars}}</svg>
      </figure>{{/isEmpty}}{{/chart}}
      <details{{^isLong}} open{{/isLong}}>
      <summary>All figures</summary>
      <div class="wide" tabindex="0" role="region" aria-labelledby="{{id}}">
      <table data-table="{{id}}">
      <thead><tr>{{#columns}}<th scope="col"{{#isFigure}} class="figure"{{/isFigure}}>{{text}}</th>{{/columns}}</tr></thead>
      <tbody>
      {{#rows}}<tr>{{#cells}}<td{{#isFigure}} class="figure"{{/isFigure}}><bdi>{{text}}</bdi></td>{{/cells}}</tr>
      {{/rows}}</tbody>
      </table>
      </div>
      </details>
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
      <h3><bdi>{{path}}</bdi> <span class="about">{{format}}</span></h3>
      {{#change}}<p>{{.}}</p>{{/change}}
      <dl class="lines">
      {{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>
      {{/facts}}</dl>
      {{#hasShards}}
      <details>
      <summary>Shards</summary>
      <div class="wide" tabindex="0" role="region" aria-label="Shards">
      <table><thead><tr><th scope="col" class="figure">shard</th><th scope="col">file</th><th scope="col" class="figure">entries</th><th scope="col" class="figure">size</th></tr></thead>
      <tbody>
      {{#shards}}<tr><td class="figure">{{id}}</td><td>{{name}}</td><td class="figure">{{entries}}</td><td class="figure">{{bytes}}</td></tr>
      {{/shards}}</tbody></table>
      </div>
      </details>
      {{/hasShards}}
      {{/outputs}}
      </section>
      {{/hasOutputs}}
      </main>
      </body>
      </html>

      """#

  /// Colours have a contrast of at least 4.5 to 1 as text and 3 to 1 as bars, in light and dark mode.
  private static let style = #"""
    :root { color-scheme: light dark; --back: #ffffff; --card: #f4f6f9; --text: #1a1d23; --soft: #565d69; --line: #d7dce4;
      --track: #e3e7ee; --good: #2b62c9; --bad: #b8430f; --twin: #727a87; --out: #7b4bb3; --rest: #d98a5f; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #14171c; --card: #1d2128; --text: #e9ecf1; --soft: #a9b1be; --line: #363c47; --track: #2b313b;
        --good: #7fabff; --bad: #ff9a66; --twin: #98a1b0; --out: #c79bf5; --rest: #a5683f; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 62rem; padding: 1.25rem 1rem 4rem; background: var(--back); color: var(--text);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
    h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; margin: 0 0 .25rem; }
    h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
    p { margin: .25rem 0; overflow-wrap: anywhere; }
    section { margin-top: 2.25rem; }
    .eyebrow, .when, .about { color: var(--soft); font-size: .9rem; font-weight: normal; }
    .status { display: inline-block; font-size: .95rem; font-weight: 600; padding: .1rem .6rem; border-radius: 1rem;
      border: 1.5px solid currentColor; vertical-align: middle; white-space: nowrap; }
    .status.good { color: var(--good); } .status.bad { color: var(--bad); } .status.still { color: var(--soft); }
    .failure { border-left: 4px solid var(--bad); background: var(--card); padding: .75rem 1rem; border-radius: .4rem; }
    .published { border-left: 4px solid var(--soft); background: var(--card); padding: .75rem 1rem; border-radius: .4rem; }
    .published.good { border-color: var(--good); } .published.bad { border-color: var(--bad); }
    .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: 1.25rem 0 0; }
    .facts div { background: var(--card); border-radius: .5rem; padding: .55rem .8rem; }
    dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; }
    .facts dd { font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .lines div { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .15rem 0; } .lines { margin: .25rem 0; }
    .lines dt { min-width: 6rem; } .lines dd { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
    .pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin-top: .75rem; }
    @media (min-width: 48rem) { .pair { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 2rem; } }
    figure { margin: 0; } svg { display: block; overflow: hidden; }
    svg text { fill: var(--text); font-size: 14px; } svg .figure { fill: var(--soft); font-variant-numeric: tabular-nums; }
    .track { fill: var(--track); } rect.good { fill: var(--good); } rect.bad { fill: var(--bad); }
    rect.twin { fill: var(--twin); } rect.out { fill: var(--out); } rect.rest { fill: var(--rest); }
    summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .9rem; }
    th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    th { color: var(--soft); font-weight: 600; white-space: nowrap; } td { overflow-wrap: anywhere; }
    td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    th:last-child, td:last-child { padding-right: 0; } td:first-child { min-width: 8.5rem; }
    code { font: .9em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", "Noto Sans CJK SC", monospace; overflow-wrap: anywhere; }
    .examples { margin: .25rem 0; padding-left: 1.1rem; } .examples li { margin: .3rem 0; }
    """#
}
