import { sniffMediaType } from '@data-designer/columns';
import { escapeHtml } from '../../printing/escape-html.ts';
import { htmlPage } from '../../printing/html-page.ts';
import type { Turn } from './conversation-turns.ts';
import { highlightCode } from './highlight-code.ts';
import type { Entry, Score, Section } from './record-sections.ts';
import { RECORDS_SCRIPT } from './records-page-script.ts';

/** A record of a page. */
export interface PagedRecord {
  /** Counted from 1. */
  readonly number: number;
  readonly sections: readonly Section[];
}

/** The characters shown of one value, so that browsers can open the page. */
const MAX_CHARACTERS = 100_000;

/** The options of a page. */
interface PageOptions {
  readonly title: string;
  /** Default: the reader's system setting. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/** Records as one self-contained page that sends no request; all values are escaped. */
export async function recordsPage(records: AsyncIterable<PagedRecord>, options: PageOptions): Promise<string> {
  const { title, theme } = options;
  const articles: string[] = [];
  for await (const { number, sections } of records) {
    const parts = await Promise.all(sections.map(sectionHtml));
    articles.push(
      `<article data-number="${number}" id="record-${number}"><h2>Record ${number}</h2>${parts.join('')}</article>`,
    );
  }
  const body = `<header><h1>${escapeHtml(title)}</h1>
${TOOLS}</header>
<main>
${articles.join('\n')}
</main>`;
  return htmlPage({ title, style: STYLE, body, script: RECORDS_SCRIPT, theme });
}

/** The search field and the buttons; the script shows them. Without it, the page lists all records. */
const TOOLS = `<div id="tools" hidden>
<div role="search"><label for="search">Search all values</label> <input type="search" id="search" autocomplete="off" spellcheck="false" aria-describedby="keys"> <span id="found" role="status"></span></div>
<nav aria-label="Records"><button type="button" id="previous">Previous</button> <span id="at" role="status"></span> <button type="button" id="next">Next</button></nav>
<p id="keys" class="quiet">Keys: <kbd>n</kbd> next, <kbd>p</kbd> previous, <kbd>/</kbd> search, <kbd>Enter</kbd> next match, <kbd>Esc</kbd> clear the search.</p>
</div>`;

async function sectionHtml(section: Section): Promise<string> {
  return `<section class="${section.kind}"><h3>${text(section.title)}</h3>${await bodyOf(section)}</section>`;
}

async function bodyOf(section: Section): Promise<string> {
  switch (section.kind) {
    case 'values':
      return entriesHtml(section.entries);
    case 'pictures':
      return section.pictures.map(pictureHtml).join('');
    case 'verdict':
      return `<div class="${section.isValid === null ? 'unknown' : section.isValid ? 'valid' : 'invalid'}">${entriesHtml(section.entries)}</div>`;
    case 'code':
      return codeHtml(section.code.slice(0, MAX_CHARACTERS), section.language);
    case 'scores':
      return section.scores.map(scoreHtml).join('');
    case 'conversation':
      return `${section.turns.map(turnHtml).join('')}<p class="quiet">${text(section.summary)}</p>`;
  }
}

function entriesHtml(entries: readonly Entry[]): string {
  const rows = entries.map(
    ({ name, text: value }) => `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

async function codeHtml(code: string, language: string): Promise<string> {
  const tokens = await highlightCode(code, language);
  const pieces = tokens.map(({ text: piece, kind }) =>
    kind === '' ? text(piece) : `<span class="${kind}">${text(piece)}</span>`,
  );
  return `<p class="quiet">${text(language)}</p><pre><code>${pieces.join('')}</code></pre>`;
}

function scoreHtml({ name, score, reasoning }: Score): string {
  return `<div class="score"><b>${text(name)}</b> <span class="points">${text(score)}</span><p>${text(reasoning)}</p></div>`;
}

function turnHtml({ by, label, text: content }: Turn): string {
  const isOpen = by === 'system' || by === 'tool result' ? '' : ' open';
  return `<details class="${by.replace(' ', '-')}"${isOpen}><summary>${text(label)}</summary><pre>${text(content)}</pre></details>`;
}

/** A picture in Base64; other values, such as paths and addresses, are shown as text and not fetched. */
function pictureHtml({ name, text: source }: Entry): string {
  const mediaType = sniffMediaType('image', source);
  const isBase64 = mediaType !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(source);
  const shown = isBase64
    ? `<img alt="${text(name)}" src="data:${mediaType};base64,${source}">`
    : `<span class="source">${text(source)}</span>`;
  return `<figure>${shown}<figcaption>${text(name)}</figcaption></figure>`;
}

function text(value: string): string {
  return escapeHtml(value, MAX_CHARACTERS);
}

/** The dark colours; the light ones are the defaults in the style. */
const DARK = `color-scheme: dark; --ground: #10151c; --card: #18202a; --ink: #e7edf4; --quiet: #a3b1c2; --line: #303c4a; --good: #6fd39b; --bad: #ff9c92; --keyword: #e39cf2; --string: #f3c178; --number: #8fc9f5; --comment: #9aa9b9; --name: #93dba4; --type: #7fd8df; --system: #2b323b; --user: #1d3350; --reasoning: #36264a; --call: #43380f; --result: #452439; --assistant: #17402a;`;

/** The style of the page: dark or light by the page's theme, else by the reader's system setting; usable on a phone. */
const STYLE = `
:root { color-scheme: light; --ground: #ffffff; --card: #f5f7fa; --ink: #17202b; --quiet: #526071; --line: #d5dce5; --good: #15703f; --bad: #b3261e; --keyword: #8a1c9c; --string: #8a4b00; --number: #0b5d8a; --comment: #5b6876; --name: #1d6b2f; --type: #0a6b73; --system: #e8e8e8; --user: #dbeafe; --reasoning: #f3e8ff; --call: #fef3c7; --result: #fce7f3; --assistant: #dcfce7; }
[data-theme=dark] { ${DARK} }
@media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1000px; padding: 16px; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { position: sticky; top: 0; background: var(--ground); border-bottom: 1px solid var(--line); padding-bottom: 8px; }
nav, [role=search] { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; margin: 4px 0; } nav[hidden], article[hidden] { display: none; }
#search { flex: 0 1 22em; min-width: 0; } ::highlight(found) { background-color: #ffd54a; color: #17202b; } kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; }
button, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 4px 12px; }
h1 { font-size: 1.3rem; margin: 4px 0; } h2 { font-size: 1.1rem; } h3 { font-size: 0.95rem; margin: 0 0 6px; color: var(--quiet); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin: 0 0 12px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-top: 1px solid var(--line); font-weight: 400; white-space: pre-wrap; } th { color: var(--quiet); width: 28%; } tr:first-child > * { border-top: 0; }
pre { margin: 0; white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; } img { max-width: 100%; height: auto; border-radius: 6px; } figure { margin: 0 0 8px; } .quiet, figcaption { color: var(--quiet); font-size: 0.85rem; margin: 6px 0 0; }
.valid tr:first-child td { color: var(--good); font-weight: 600; } .invalid tr:first-child td { color: var(--bad); font-weight: 600; } .points { font-weight: 600; } .score p { margin: 2px 0 8px; white-space: pre-wrap; }
.keyword { color: var(--keyword); } .string { color: var(--string); } .number { color: var(--number); } .comment { color: var(--comment); } .name { color: var(--name); } .type { color: var(--type); }
details { border-radius: 6px; padding: 6px 10px; margin: 0 0 6px; } summary { cursor: pointer; font-size: 0.85rem; } .system { background: var(--system); } .user { background: var(--user); } .reasoning { background: var(--reasoning); font-style: italic; } .tool-call { background: var(--call); } .tool-result { background: var(--result); } .assistant { background: var(--assistant); }
`;
