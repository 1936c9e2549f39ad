import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { DatasetEntry, DatasetList } from '../../api/datasets.ts';
import { withParams } from '../address.ts';
import { type DataSource, SourceContext, useSource } from '../data/data-source.ts';
import { DatasetProvider } from '../data/use-dataset.tsx';
import { useData } from '../data/use-data.ts';
import { useHighlights } from '../data/use-highlights.ts';
import { useVisible } from '../data/use-visible.ts';
import { datasetParams, keptParams } from '../filter-params.ts';
import { formatCount } from '../format.ts';
import { RunsPage } from '../pages/runs/runs-page.tsx';
import { placedParams, usePlaces } from '../pages/table/table-place.ts';
import { Link } from '../parts/link.tsx';
import { ReviewsProvider } from '../reviews/use-reviews.tsx';
import { goTo, useAddress } from '../use-address.ts';
import { useKeys, useLeaveOnEscape } from '../use-keys.ts';
import { visibleText } from '../visible-text.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { PAGES } from './pages.tsx';
import { RunStateMark } from './run-state-mark.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** The app: the frame with the page that the address names. */
export function App({ source }: { readonly source: DataSource }): ReactNode {
  const { list, error } = useDatasets(source);
  if (list === undefined) return error === undefined ? null : <NoConnection error={error} />;
  return (
    <SourceContext value={source}>
      <Frame list={list} />
    </SourceContext>
  );
}

/** Why the server does not answer; the page asks again by itself, and at once on a click. */
function NoConnection({ error }: { readonly error: string }): ReactNode {
  return (
    <div className="notice error">
      <p>{error}</p>
      <button type="button" onClick={() => location.reload()}>
        Connect again
      </button>
    </div>
  );
}

/** The time from an answer to the next look. */
const LOOK_MS = 3000;

interface FoundDatasets {
  readonly list: DatasetList | undefined;
  readonly error: string | undefined;
}

/** The datasets of the server; the stages of a workflow appear one after the other. */
function useDatasets(source: DataSource): FoundDatasets {
  const [looks, setLooks] = useState(0);
  const isVisible = useVisible();
  const { data, error, isLoading } = useData(`datasets ${looks}`, (signal) => source.ask('datasets', {}, signal));
  useEffect(() => {
    if (isLoading || !isVisible || source.watch === undefined) return undefined;
    const soon = setTimeout(() => setLooks((times) => times + 1), LOOK_MS);
    return () => clearTimeout(soon);
  }, [isLoading, isVisible, source]);
  const text = data && JSON.stringify(data);
  // The pages are drawn again only for another list.
  const list = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as DatasetList)), [text]);
  return { list, error };
}

const Frame = memo(function Frame({ list }: { readonly list: DatasetList }): ReactNode {
  const address = useAddress();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isShareOpen, setIsShareOpen] = useState(false);
  const source = useSource();
  const entry = list.datasets.find(({ id }) => id === address.params.get('d')) ?? list.datasets[0];
  const page = PAGES.find(({ name }) => name === address.page) ?? PAGES[0];
  const isList = address.page === RUNS || (list.isFolder && isBare());
  useHighlights(address.params.get('q') ?? undefined);
  useLeaveOnEscape();
  useTitle(isList ? `Runs · ${list.title}` : titleOf(page, address, entry));
  const openPage = (at: number): void => {
    const name = PAGES[at]?.name;
    if (name !== undefined) goTo({ page: name, params: paramsFor(name, address.params) });
  };
  const openTable = (): void => goTo({ page: 'table', params: paramsFor('table', address.params) });
  useKeys(
    {
      '?': () => setIsHelpOpen(true),
      t: () => openTable(),
      '/': () => {
        flushSync(openTable);
        document.querySelector<HTMLElement>('.search')?.focus();
      },
      ...Object.fromEntries(PAGES.map((_, at) => [String(at + 1), () => openPage(at)])),
      ...(list.datasets.length > 1 ? { 0: () => goTo({ page: RUNS, params: new URLSearchParams() }) } : {}),
    },
    { isFrame: true },
  );
  if (entry === undefined || page === undefined) return <p className="notice error">The server shows no dataset.</p>;
  if (isList) {
    return (
      <>
        <header className="frame-head">
          <h1>{visibleText(list.title)}</h1>
          <ThemeSwitch />
        </header>
        <main className="frame-main" id="content" tabIndex={-1}>
          <ErrorBoundary key="runs">
            <RunsPage list={list} />
          </ErrorBoundary>
        </main>
      </>
    );
  }
  return (
    <>
      <DatasetProvider key={entry.id} entry={entry}>
        <ReviewsProvider>
          <Head list={list} entry={entry} onHelp={() => setIsHelpOpen(true)} onShare={() => setIsShareOpen(true)} />
          <main className="frame-main" id="content" tabIndex={-1}>
            <ErrorBoundary key={`${entry.id} ${page.name}`}>
              <page.Page />
            </ErrorBoundary>
          </main>
        </ReviewsProvider>
        {isShareOpen && <ShareDialog entry={entry} isCopy={!source.canReview} onClose={() => setIsShareOpen(false)} />}
      </DatasetProvider>
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </>
  );
});

/** The page of all runs in the address. */
const RUNS = 'runs';

/** Whether the address names no page. */
function isBare(): boolean {
  return /^#?\/?$/.test(location.hash);
}

function titleOf(
  page: (typeof PAGES)[number] | undefined,
  { row = 0 }: ReturnType<typeof useAddress>,
  entry: DatasetEntry | undefined,
): string {
  const what = page?.name === 'record' ? `Row ${formatCount(row)}` : (page?.title ?? '');
  return `${what} · ${visibleText(entry?.name ?? '')}`;
}

/** Names what the tab shows. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Data Designer`;
  }, [title]);
}

interface HeadProps {
  readonly list: DatasetList;
  readonly entry: DatasetEntry;
  readonly onHelp: () => void;
  readonly onShare: () => void;
}

function Head({ list, entry, onHelp, onShare }: HeadProps): ReactNode {
  const { page: current, params } = useAddress();
  const { canReview } = useSource();
  const hasPicker = list.datasets.length > 1;
  usePlaces();
  return (
    <header className="frame-head">
      <a className="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <h1 title={entry.path} className={hasPicker && list.workflow === null ? 'sr-only' : undefined}>
        {visibleText(list.workflow ?? entry.name)}
      </h1>
      {hasPicker && (
        <Link page={RUNS} title="0">
          All runs
        </Link>
      )}
      {hasPicker && <DatasetPicker list={list} entry={entry} />}
      <RunStateMark />
      <nav aria-label="Pages">
        <ul>
          {PAGES.filter(({ minDatasets = 1 }) => canReview || list.datasets.length >= minDatasets).map(
            ({ name, title }) => (
              <li key={name}>
                <Link page={name} params={paramsFor(name, params)} current={name === current}>
                  {title}
                </Link>
              </li>
            ),
          )}
        </ul>
      </nav>
      <ThemeSwitch />
      <button type="button" onClick={onShare}>
        Share
      </button>
      <button type="button" onClick={onHelp} aria-label="Keys" title="?">
        ?
      </button>
    </header>
  );
}

function DatasetPicker({ list, entry }: { readonly list: DatasetList; readonly entry: DatasetEntry }): ReactNode {
  const { page } = useAddress();
  return (
    <select
      aria-label={list.workflow === null ? 'Dataset' : 'Stage'}
      value={entry.id}
      onChange={(event) => goTo({ page, params: withParams(new URLSearchParams(), { d: event.target.value }) })}
    >
      {list.datasets.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The table and the records share a filter, and the table opens where it was left; the other pages keep the dataset alone. */
function paramsFor(page: string, params: URLSearchParams): URLSearchParams {
  if (page === 'table') return placedParams(params);
  return page === 'record' ? keptParams(params) : datasetParams(params);
}

/** The fragment holds the view, so a link to the content must not change it. */
function skipToContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
