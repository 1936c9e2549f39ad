import { createContext, use } from 'react';
import type { Api } from '../../api/requests.ts';
import type { DatasetEntry } from '../../api/datasets.ts';
import type { Filter } from '../../api/filter.ts';
import type { LiveTopic } from '../../api/live.ts';
import type { DownloadChoice } from '../../downloaded-rows.ts';
import type { EventListener } from './watch-events.ts';

/** Rows as a file: at an address, or made in the page. Without a name it is all rows, whatever the filter. */
export type Download = { readonly label: string } & (
  | { readonly address: string; readonly fileName?: string }
  | { readonly fileName: string; readonly make: () => Promise<Blob> }
);

/** Where the pages read: the server of `data-designer view`, files of a static copy, or data in the page itself. */
export interface DataSource {
  /** Asks for data; rejects with an `Error` whose message a reader understands. */
  readonly ask: <Name extends keyof Api>(
    name: Name,
    request: Api[Name]['request'],
    signal?: AbortSignal,
  ) => Promise<Api[Name]['answer']>;
  /** Tells the events of a run until the returned function is called; absent where nothing changes. */
  readonly watch?: <Topic extends LiveTopic>(
    dataset: string,
    topic: Topic,
    listener: EventListener<Topic>,
  ) => () => void;
  /** The rows of a filter as files. */
  readonly downloads: (
    dataset: Pick<DatasetEntry, 'id' | 'name'>,
    filter: Filter,
    choice: DownloadChoice,
  ) => readonly Download[];
  /** Whether a filter can have a SQL condition. */
  readonly hasSql: boolean;
  /** Whether rows have reviews to filter by. */
  readonly hasReviews: boolean;
  /** Whether reviews can be written. */
  readonly canReview: boolean;
}

/** The source of the pages below. */
export const SourceContext = createContext<DataSource | undefined>(undefined);

/** The source of this page; undefined in a page of fixed content, which loads nothing. */
export function useOptionalSource(): DataSource | undefined {
  return use(SourceContext);
}

/** The source of this page; throws outside of `SourceContext`. */
export function useSource(): DataSource {
  const source = use(SourceContext);
  if (source === undefined) throw new Error('no data source is provided');
  return source;
}
