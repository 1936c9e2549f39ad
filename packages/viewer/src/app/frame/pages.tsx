import type { ComponentType } from 'react';
import { ComparePage } from '../pages/compare/compare-page.tsx';
import { ConfigPage } from '../pages/config/config-page.tsx';
import { FailuresPage } from '../pages/failures/failures-page.tsx';
import { LivePage } from '../pages/live/live-page.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { RecordPage } from '../pages/record/record-page.tsx';
import { TablePage } from '../pages/table/table-page.tsx';

interface PageEntry {
  /** The name in the address. */
  readonly name: string;
  readonly title: string;
  readonly Page: ComponentType;
  /** The fewest datasets of a static copy that it needs; default: 1. A server finds others beside those that it shows. */
  readonly minDatasets?: number;
}

/** The pages in the order of the navigation; the first one opens without an address. */
export const PAGES: readonly PageEntry[] = [
  { name: 'overview', title: 'Overview', Page: OverviewPage },
  { name: 'table', title: 'Table', Page: TablePage },
  { name: 'record', title: 'Record', Page: RecordPage },
  { name: 'live', title: 'Live', Page: LivePage },
  { name: 'failures', title: 'Failures', Page: FailuresPage },
  { name: 'config', title: 'Config', Page: ConfigPage },
  { name: 'compare', title: 'Compare', Page: ComparePage, minDatasets: 2 },
];
