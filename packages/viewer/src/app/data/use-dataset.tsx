import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import type { ColumnInfo } from '../../api/columns.ts';
import type { DatasetEntry } from '../../api/datasets.ts';
import type { LiveEvent, LiveState } from '../../api/live.ts';
import type { LiveFigures, Overview } from '../../api/overview.ts';
import { useSource } from './data-source.ts';
import { useData } from './use-data.ts';

/** The dataset that the pages show, and what its run does. */
export interface Dataset {
  readonly entry: DatasetEntry;
  readonly overview: Overview;
  readonly columns: readonly ColumnInfo[];
  /** The answers that arrived, once the stream sent some. */
  readonly live: LiveState | undefined;
  /** Whether the server answers; false while the browser tries to reach it again. */
  readonly isConnected: boolean;
  /** Changes when rows are committed; part of the keys of requests. */
  readonly version: string;
}

const DatasetContext = createContext<Dataset | undefined>(undefined);

/** The dataset of this page; throws outside of `DatasetProvider`. */
export function useDataset(): Dataset {
  const dataset = use(DatasetContext);
  if (dataset === undefined) throw new Error('no dataset is provided');
  return dataset;
}

interface ProviderProps {
  readonly entry: DatasetEntry;
  readonly children: ReactNode;
}

/** Loads the overview of a dataset and follows its run. */
export function DatasetProvider({ entry, children }: ProviderProps): ReactNode {
  const source = useSource();
  const [figures, setFigures] = useState<LiveFigures>();
  const [live, setLive] = useState<LiveState>();
  const [isConnected, setIsConnected] = useState(true);
  const [woken, setWoken] = useState(0);
  // The columns, the usage and the losses of finished row groups change with each commit.
  const version = `${figures?.version ?? ''} ${figures?.state ?? ''}`;
  const { data, error } = useData(`${entry.id} ${version} ${woken}`, (signal) =>
    source.ask('overview', { dataset: entry.id }, signal),
  );
  const onEvent = useCallback((event: LiveEvent) => {
    if (event.type === 'figures') setFigures(event.figures);
    else setLive(event.live);
  }, []);
  useEffect(() => source.watch?.(entry.id, { onEvent, onConnection: setIsConnected }), [source, entry.id, onEvent]);
  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible') setWoken((times) => times + 1);
    };
    document.addEventListener('visibilitychange', wake);
    return () => document.removeEventListener('visibilitychange', wake);
  }, []);
  if (data === undefined) {
    return error === undefined ? (
      <p className="quiet">Reading {entry.name}…</p>
    ) : (
      <p className="notice error">{error}</p>
    );
  }
  const overview: Overview = { ...data, ...figures };
  const dataset = { entry, overview, columns: data.columns, live, isConnected, version: overview.version };
  return <DatasetContext value={dataset}>{children}</DatasetContext>;
}
