/* The styles of a report: the colours of the console, light and dark by the system, and light on paper. Narrow, a table is a list. */

export const REPORT_STYLES = `
  :root { color-scheme: light dark; --page: #f7f8fa; --surface: #ffffff; --line: #e3e6eb; --ink: #14181f; --ink-2: #4b5563; --line-2: #b4bac4; --track: #e3e6eb;
    --good: #4ba77b; --warn: #d18a1b; --bad: #dc5a52; --strange: #a767c9; --busy: #5c86e8; --warn-tint: #fdf1dc;
    font: 14px/1.5 'Inter Variable', system-ui, sans-serif; color: var(--ink); background: var(--page); }
  @media (prefers-color-scheme: dark) { :root { --page: #0e1116; --surface: #14181f; --line: #262d38; --ink: #e8ebf0; --ink-2: #aab3c0;
    --line-2: #4a5464; --track: #262d38; --good: #3c9b6d; --warn: #b98a34; --warn-tint: #2e2413; } }
  body { max-width: 62rem; margin: 0 auto; padding: 24px; overflow-wrap: anywhere; }
  h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; } h2 { font-size: 16px; margin: 0 0 8px; }
  nav { margin: 0 0 12px; font-size: 12px; } nav a { color: inherit; }
  p.lead { margin: 0 0 16px; color: var(--ink-2); } p.pause { border-left: 3px solid var(--warn); padding: 10px 14px; background: var(--warn-tint); }
  section { margin: 16px 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
  section > p { margin: 8px 0 0; } code { font: .93em ui-monospace, 'DejaVu Sans Mono', monospace; }
  table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
  th, td { text-align: left; padding: 7px 16px 7px 0; border-top: 1px solid var(--line); vertical-align: top; }
  thead th { border-top: 0; padding-top: 0; color: var(--ink-2); font-size: 12px; font-weight: 500; }
  tbody th { width: 9rem; color: var(--ink-2); font-weight: 400; } tbody tr:first-child > th, tbody tr:first-child > th + td { border-top: 0; }
  td.names { min-width: 9rem; overflow-wrap: anywhere; } td.at { white-space: nowrap; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  .bar { display: flex; gap: 1px; height: 12px; border-radius: 6px; overflow: hidden; margin: 0 0 10px; background: var(--track); }
  .bar i { min-width: 4px; } .key { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0; padding: 0; }
  .key i, td > i { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 7px; }
  i.succeeded { background: var(--good); } i.failed { background: var(--bad); } i.unknown { background: var(--strange); }
  i.running, i.queued { background: var(--busy); } i.offline { background: var(--warn); }
  i.waiting { background: var(--line-2); } i.skipped, i.cancelled { background: var(--ink-2); }
  footer { margin-top: 24px; color: var(--ink-2); font-size: 12px; }
  @media screen and (max-width: 40rem) {
    body { padding: 16px 12px; } section { padding: 12px; } thead { display: none; }
    .list, .list tbody, .list tr, .list td { display: block; } .list tr { padding: 8px 0; border-top: 1px solid var(--line); }
    .list tr:first-child { border-top: 0; padding-top: 0; } .list td { border: 0; padding: 1px 0; text-align: left; }
    .list td[data-head]::before { content: attr(data-head) ': '; color: var(--ink-2); } .list td:first-child { font-weight: 600; }
    .list td:empty, .list td[data-zero] { display: none; } td.at { white-space: normal; } tbody th { width: 6.5rem; }
  }
  @media print {
    nav { display: none; }
    :root { --page: #ffffff; --surface: #ffffff; --line: #d8dee4; --ink: #14181f; --ink-2: #4b5563; --good: #4ba77b; --warn: #d18a1b;
      --warn-tint: #fdf1dc; --line-2: #b4bac4; --track: #e3e6eb; color-scheme: light; font-size: 9pt; }
    body { padding: 0; max-width: none; } section { padding: 0; border: 0; } th, td { padding: 3px 8px 3px 0; } td.at { white-space: normal; }
    tr { break-inside: avoid; } h2 { break-after: avoid; } .bar, i, p.pause { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }`;
