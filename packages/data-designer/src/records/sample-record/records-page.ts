import { sniffMediaType } from '@data-designer/columns';
import { escapeHtml } from '../../printing/escape-html.ts';
import { htmlPage } from '../../printing/html-page.ts';
import type { Turn } from './conversation-turns.ts';
import { highlightCode } from './highlight-code.ts';
import { RECORDS_STYLE } from './records-style.ts';
import type { Entry, Score, Section } from './record-sections.ts';

/** A record of a page: its number, counted from 1, and its parts. */
export interface PagedRecord {
  readonly number: number;
  readonly sections: readonly Section[];
}

/** Characters of one value that are shown: a page stays one that a browser opens. */
const MAX_CHARACTERS = 100_000;

/** Shows one record at a time, and the next or the one before by a key; without it all stand below each other. */
const SCRIPT = `
const records = [...document.querySelectorAll('article')];
let at = 0;
const show = (to) => {
  at = (to + records.length) % records.length;
  records.forEach((one, index) => { one.hidden = index !== at; });
  document.querySelector('#at').textContent = records[at].dataset.number;
  scrollTo(0, 0);
};
document.querySelector('nav').hidden = false;
document.querySelector('#next').onclick = () => show(at + 1);
document.querySelector('#previous').onclick = () => show(at - 1);
addEventListener('keydown', ({ key }) => {
  if (key === 'n' || key === 'ArrowRight') show(at + 1);
  if (key === 'p' || key === 'ArrowLeft') show(at - 1);
});
if (records.length > 0) show(0);
`;

/** How a page of records looks. */
interface PageOptions {
  readonly title: string;
  /** As the reader's system says unless given. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/**
 * Records as one page that needs nothing else: no request leaves it. Text of any origin stays text. Rejects with nothing.
 */
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
<nav hidden><button id="previous">Previous (p)</button> <span>Record <b id="at"></b>, ${articles.length} shown</span> <button id="next">Next (n)</button></nav></header>
${articles.join('\n')}`;
  return htmlPage({ title, style: RECORDS_STYLE, body, script: SCRIPT, theme });
}

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

function turnHtml({ by, label, text: said }: Turn): string {
  const isOpen = by === 'system' || by === 'tool result' ? '' : ' open';
  return `<details class="${by.replace(' ', '-')}"${isOpen}><summary>${text(label)}</summary><pre>${text(said)}</pre></details>`;
}

/** What is no picture of a known form, such as a path or an address, stands there as text: nothing is fetched. */
function pictureHtml({ name, text: source }: Entry): string {
  const mediaType = sniffMediaType('image', source);
  const isBase64 = mediaType !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(source);
  const shown = isBase64 ? `<img alt="${text(name)}" src="data:${mediaType};base64,${source}">` : text(source);
  return `<figure>${shown}<figcaption>${text(name)}</figcaption></figure>`;
}

function text(value: string): string {
  return escapeHtml(value, MAX_CHARACTERS);
}
