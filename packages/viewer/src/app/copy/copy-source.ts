import { DOWNLOAD_FORMATS } from '../../api/api.ts';
import type { Api } from '../../api/requests.ts';
import type { Filter } from '../../api/filter.ts';
import { COPY_INDEX, copyFiles, type CopyIndex } from '../../copy-data.ts';
import { compareCounts } from '../../server/compare/compare-counts.ts';
import { comparePage } from '../../server/compare/compare-page.ts';
import { downloadName } from '../../download-name.ts';
import type { DownloadChoice } from '../../downloaded-rows.ts';
import type { DataSource, Download } from '../data/data-source.ts';
import { downloadedRows } from './copy-downloads.ts';
import { fetchJson, StaticCopy } from './static-copy.ts';

/** The files of a static copy next to this page, which any web server sends. */
export async function copySource(): Promise<DataSource> {
  const index: CopyIndex = await fetchJson(COPY_INDEX);
  const copies = new Map<string, Promise<StaticCopy>>();
  const positionOf = (id: string): number => index.datasets.findIndex((dataset) => dataset.id === id);
  const open = (id: string): Promise<StaticCopy> => {
    const position = positionOf(id);
    if (position < 0) return Promise.reject(new Error(`This copy has no dataset '${id}'.`));
    let copy = copies.get(id);
    if (!copy) {
      copies.set(id, (copy = StaticCopy.open(copyFiles(position))));
      copy.catch(() => copies.delete(id));
    }
    return copy;
  };
  const openBoth = async ({ left, right }: Pick<Api['compare']['request'], 'left' | 'right'>) => {
    const [one, other] = await Promise.all([open(left), open(right)]);
    return [one.compared(), other.compared()] as const;
  };
  const compare = async ({ left, right, ...page }: Api['compare']['request']): Promise<Api['compare']['answer']> =>
    comparePage(...(await openBoth({ left, right })), page);
  const count = async (
    { from, ...pair }: Api['compare-counts']['request'],
    signal: AbortSignal,
  ): Promise<Api['compare-counts']['answer']> => compareCounts(...(await openBoth(pair)), { from, signal });
  const comparable = ({ dataset }: Api['comparable']['request']): Api['comparable']['answer'] => ({
    datasets: index.datasets.filter(({ id }) => id !== dataset).map((entry) => ({ ...entry, facts: null })),
  });
  const ask = async (question: keyof Api, request: object, signal: AbortSignal): Promise<unknown> => {
    if (question === 'datasets') return index;
    // The request belongs to the question.
    if (question === 'comparable') return comparable(request as Api['comparable']['request']);
    if (question === 'compare') return compare(request as Api['compare']['request']);
    if (question === 'compare-counts') return count(request as Api['compare-counts']['request'], signal);
    const { dataset } = request as Api['overview']['request'];
    return (await open(dataset)).answer(question, request as never, signal);
  };
  return {
    ask: async <Name extends keyof Api>(name: Name, request: Api[Name]['request'], signal = NEVER_ABORTED) =>
      (await ask(name, request, signal)) as Api[Name]['answer'],
    hasReviews: index.hasReviews,
    canReview: false,
    hasSql: false,
    downloads: ({ id, name }, filter, choice) =>
      downloadsOf({ id, name, position: positionOf(id), filter, ...choice }, open),
  };
}

const NEVER_ABORTED = new AbortController().signal;

interface Downloaded extends DownloadChoice {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly filter: Filter;
}

function downloadsOf(
  { id, name, position, filter, edits, reviews }: Downloaded,
  open: (id: string) => Promise<StaticCopy>,
): readonly Download[] {
  const made = DOWNLOAD_FORMATS.map((format): Download => {
    const make = async () => downloadedRows(await open(id), { format, filter, edits, reviews, signal: NEVER_ABORTED });
    return { label: format, fileName: downloadName(name, { filter, reviews }, format), make };
  });
  const without = [...(edits ? ['edits'] : []), ...(reviews ? ['reviews'] : [])].join(' and ');
  const label = without === '' ? 'parquet (all rows)' : `parquet (all rows, without ${without})`;
  return [...made, { label, address: copyFiles(position).rows }];
}
