// The style of the pages: light, dark and print, from 320 pixels of width.

enum PageStyle {
  /// Colours have a contrast of at least 4.5 to 1 as text and 3 to 1 as bars, on the page and on its boxes; a test
  /// computes it. What is printed is light.
  static let text = #"""
    :root { color-scheme: light dark; --back: #ffffff; --card: #f4f6f9; --text: #1a1d23; --soft: #565d69; --line: #d7dce4;
      --track: #e3e7ee; --good: #2b62c9; --bad: #b3361b; --warn: #8a5300; --twin: #727a87; --out: #7b4bb3; --rest: #c96f3b;
      --plus: #17713f; --minus: #b3261e; --turn: #7040ad; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --back: #14171c; --card: #1d2128; --text: #e9ecf1; --soft: #a9b1be; --line: #363c47; --track: #2b313b;
        --good: #7fabff; --bad: #ff9a7d; --warn: #f2bb5c; --twin: #98a1b0; --out: #c79bf5; --rest: #c9814f;
        --plus: #6fd39b; --minus: #ff9d92; --turn: #c9a6f5; }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--text);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
    h1 { font-size: 1.6rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .35rem; }
    h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; overflow-wrap: anywhere; }
    p { margin: .25rem 0; overflow-wrap: anywhere; }
    section { margin-top: 2.25rem; }
    a { color: var(--good); }
    .eyebrow, .when, .about { color: var(--soft); font-size: .9rem; font-weight: normal; }
    .status { display: inline-block; font-size: .9rem; font-weight: 600; padding: .1rem .7rem; border-radius: 1rem;
      border: 1.5px solid currentColor; vertical-align: middle; }
    .good { color: var(--plus); } .bad { color: var(--bad); } .warn { color: var(--warn); } .still, .soft { color: var(--soft); }
    .plus { color: var(--plus); fill: var(--plus); } .minus { color: var(--minus); fill: var(--minus); }
    .turn { color: var(--turn); fill: var(--turn); } td.soft { color: var(--soft); }
    .hero { margin-top: 1.25rem; }
    .figures { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 0; align-items: baseline; line-height: 1.2;
      font-size: clamp(2rem, 7vw, 3.25rem); font-weight: 650; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
    .figures small { font-size: .5em; font-weight: 500; letter-spacing: 0; }
    .below { margin-top: .35rem; }
    .unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .box { border-left: 4px solid; background: var(--card); padding: .8rem 1rem; border-radius: .4rem; margin-top: 1.25rem; }
    .box h2 { color: inherit; } .box p, .box dl { color: var(--text); } .box p.about { color: var(--soft); }
    .troubles { margin: 0; } .troubles div + div { border-top: 1px solid var(--line); margin-top: .5rem; padding-top: .5rem; }
    .troubles dt { font-weight: 600; font-size: 1rem; color: var(--text); display: inline; } .troubles dd { overflow-wrap: anywhere; }
    .troubles .remedy { display: inline; color: var(--soft); } .troubles .remedy::before { content: " – "; }
    .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; margin: .5rem 0 0; }
    .facts div, .card { background: var(--card); border-radius: .5rem; padding: .55rem .8rem; }
    .hero + .facts { margin-top: 1.25rem; }
    dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; }
    .facts dd { font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .lines div { display: flex; gap: 0 .75rem; padding: .15rem 0; } .lines { margin: .5rem 0 0; }
    .lines dt { flex: 0 0 5rem; padding-top: .1rem; }
    .lines dd { overflow-wrap: anywhere; min-width: 0; font-variant-numeric: tabular-nums; }
    .lines dd[title], code { font: .9em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", "Noto Sans CJK SC", monospace; overflow-wrap: anywhere; }
    .pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin-top: .75rem; }
    .pair > section { margin-top: 1.5rem; }
    @media (min-width: 48rem) {
      .pair { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 2.5rem; }
      .pair.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
    }
    .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: .75rem; margin: .75rem 0 1rem; }
    .card h3 { margin: .1rem 0 .5rem; }
    .groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 0 2rem; }
    .groups h3 { margin-top: .5rem; } .numbers { list-style: none; margin: 0; padding: 0; }
    .numbers li { padding: .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-size: .95rem; }
    .numbers code { margin-right: .5rem; } .numbers s { color: var(--soft); }
    figure { margin: 0; } svg { display: block; overflow: hidden; }
    svg text { fill: var(--text); font-size: 14px; } svg .value { fill: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
    svg text.plus { fill: var(--plus); font-size: 13px; } svg text.minus { fill: var(--minus); font-size: 13px; }
    svg text.turn { fill: var(--turn); font-size: 13px; }
    .track { fill: var(--track); } rect.good { fill: var(--good); } rect.bad { fill: var(--bad); }
    rect.twin { fill: var(--twin); } rect.out { fill: var(--out); } rect.rest { fill: var(--rest); }
    .trend { margin: .5rem 0; overflow: visible; } .grid { stroke: var(--line); } .path { stroke: var(--good); stroke-width: 2; stroke-linecap: round; }
    .trend circle { fill: var(--good); } .trend circle.hidden { display: none; } .trend circle.current { r: 5px; } .trend circle.withdrawn { fill: var(--back); stroke: var(--warn); stroke-width: 2; r: 4px; }
    .slot { fill: transparent; } g:hover .slot { fill: var(--text); fill-opacity: .08; }
    .changes svg { margin-top: .2rem; }
    summary { cursor: pointer; color: var(--soft); font-size: .9rem; padding: .15rem 0; }
    table { border-collapse: collapse; width: 100%; font-size: .9rem; }
    th, td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
    thead th { color: var(--soft); font-weight: 600; overflow-wrap: normal; vertical-align: bottom; } tbody th { font-weight: normal; }
    tbody th[title] { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: .85rem; white-space: nowrap; }
    td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; } td.figure { white-space: nowrap; }
    th:last-child, td:last-child { padding-right: 0; }
    @media (max-width: 40rem) {
      th, td { padding-right: .6rem; }
      .stack, .stack tbody, .versions, .versions tbody { display: block; }
      .stack thead, .versions thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .stack tr { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
      .stack th, .stack td { border: 0; padding: 0; } .stack tbody th { flex: 1 0 100%; font-weight: 600; }
      .stack td.figure { text-align: left; } .stack td:has(bdi:empty) { display: none; }
      .versions tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
      .versions tr::before { content: ""; flex: 0 0 100%; order: 3; } .versions th, .versions td { border: 0; padding: 0; order: 4; }
      .versions .when { order: 1; flex: 1 0 auto; } .versions .size { order: 2; color: var(--soft); } .versions .total { order: 2; font-weight: 600; }
      .versions tbody th { flex: 1 0 auto; color: var(--soft); } .versions .state { order: 5; flex: 1 0 100%; }
      .versions td:has(bdi:empty) { display: none; }
      .versions td.turn::after { content: " relabelled"; }
      .stack td::before { content: attr(data-label) " "; color: var(--soft); font-size: .85em; }
    }
    .examples { margin: .25rem 0; padding-left: 1.1rem; } .examples li { margin: .3rem 0; }
    @media print {
      body { max-width: none; padding: 0; font-size: 11pt; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      tr, li, .card, .box, .facts div, figure, svg { break-inside: avoid; } h2, h3, h2 + p { break-after: avoid; }
      summary { display: none; } details::details-content { content-visibility: visible; block-size: auto; }
    }

    """#
}
