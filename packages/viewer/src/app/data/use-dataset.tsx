import { createContext, type ReactNode, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { ColumnInfo } from '../../api/columns.ts';
import type { DatasetEntry } from '../../api/datasets.ts';
import type { LiveFigures, Overview } from '../../api/overview.ts';
import { useSource } from './data-source.ts';
import { useData } from './use-data.ts';
import { useVisible } from './use-visible.ts';

/** The dataset that the pages show, and what its run does. */
export interface Dataset {
  readonly entry: DatasetEntry;
  readonly overview: Overview;
  readonly columns: readonly ColumnInfo[];
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
  const [isConnected, setIsConnected] = useState(true);
  // Another server may show the folder after a break: everything is asked again.
  const [connections, setConnections] = useState(0);
  const isVisible = useVisible();
  const onConnection = useEffectEvent((isOpen: boolean): void => {
    if (isOpen && !isConnected) setConnections((times) => times + 1);
    setIsConnected(isOpen);
  });
  // The columns, the usage and the losses of finished row groups change with each commit.
  const version = `${figures?.version ?? ''} ${figures?.state ?? ''} ${connections}`;
  // A tab that is shown again asks anew.
  const { data, error } = useData(isVisible ? `${entry.id} ${version}` : undefined, (signal) =>
    source.ask('overview', { dataset: entry.id }, signal),
  );
  useEffect(
    () => (isVisible ? source.watch?.(entry.id, 'figures', { onEvent: setFigures, onConnection }) : undefined),
    [source, entry.id, isVisible],
  );
  const dataset = useMemo(() => {
    if (data === undefined) return undefined;
    const overview: Overview = { ...data, ...figures };
    const state = `${overview.version} ${connections}`;
    return { entry, overview, columns: data.columns, isConnected, version: state };
  }, [entry, data, figures, isConnected, connections]);
  if (dataset === undefined) {
    return error === undefined ? (
      <p className="quiet">Reading {entry.name}…</p>
    ) : (
      <p className="notice error">{error}</p>
    );
  }
  return <DatasetContext value={dataset}>{children}</DatasetContext>;
}
