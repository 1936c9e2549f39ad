import type { ReactNode } from 'react';
import { loadGrammar } from '../../highlight-code.ts';
import type { ShownRecord } from '../../api/record.ts';
import type { RecordsPageOptions } from '../../single-pages.ts';
import { RecordView } from '../pages/record/record-view.tsx';
import { visibleText } from '../visible-text.ts';
import { RECORDS_SCRIPT } from './records-script.ts';
import { markup, singleFile } from './single-file.tsx';

/** Records as one page; each is made before the next one is read. */
export async function recordsPage(
  records: AsyncIterable<ShownRecord>,
  { title, columns, theme }: RecordsPageOptions,
): Promise<string> {
  for (const { language } of columns) if (language !== null) await loadGrammar(language);
  const articles: string[] = [];
  for await (const record of records) {
    const number = record.index + 1;
    articles.push(
      markup(
        <article data-number={number} id={`record-${number}`}>
          <h2>Record {number}</h2>
          <RecordView dataset="" answer={record} columns={columns} />
        </article>,
      ),
    );
  }
  const body = `${markup(<Head title={title} />)}\n<main class="single">\n${articles.join('\n')}\n</main>`;
  return singleFile({ title, body, script: RECORDS_SCRIPT, theme });
}

/** The search field and the buttons; the script shows them. Without it, the page lists all records. */
function Head({ title }: { readonly title: string }): ReactNode {
  return (
    <header className="single">
      <h1>{visibleText(title)}</h1>
      <div id="tools" hidden>
        <div role="search" className="row">
          <label htmlFor="search">Search all values</label>
          <input type="search" id="search" autoComplete="off" spellCheck={false} aria-describedby="keys" />
          <span id="found" role="status" />
        </div>
        <nav aria-label="Records" className="row">
          <button type="button" id="previous">
            Previous
          </button>
          <span id="at" role="status" />
          <button type="button" id="next">
            Next
          </button>
        </nav>
        <p id="keys" className="quiet small">
          Keys: <kbd>n</kbd> next, <kbd>p</kbd> previous, <kbd>/</kbd> search, <kbd>Enter</kbd> next match,{' '}
          <kbd>Esc</kbd> clear the search.
        </p>
      </div>
    </header>
  );
}
