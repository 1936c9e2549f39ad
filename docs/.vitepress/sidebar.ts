import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..');

/** The pages of the internals, in the order of a row's way. */
const INTERNALS = [
  'architecture',
  'commands',
  'plan',
  'columns',
  'samplers',
  'seeds',
  'templates',
  'rows',
  'threads',
  'functions',
  'models',
  'tools',
  'admission',
  'cluster',
  'retries',
  'journal',
  'endings',
  'environments',
  'dataset-folder',
  'formats',
  'processors',
  'profile',
  'records',
  'pushes',
  'selection',
  'progress',
  'rehearsal',
  'simulator',
  'serving',
  'viewer',
  'security',
  'home-folder',
  'plugins',
  'performance',
  'workflows',
];

/** A group of pages that one folder holds. */
interface PageGroup {
  readonly group: string;
  readonly folder: string;
  readonly pages: readonly string[];
}

/** The groups of the guide and the reference in reading order; `data-designer docs` lists them too. */
const GROUPS: readonly PageGroup[] = JSON.parse(readFileSync(join(DOCS, 'pages.json'), 'utf8'));

/** One section of the sidebar, each page titled with its H1. Throws for a page that does not exist. */
function section({ group, folder, pages }: PageGroup) {
  const items = pages.map((name) => ({
    text: titleOf(join(DOCS, folder, `${name}.md`)),
    link: `/${folder}/${name}`,
  }));
  return { text: group, items, collapsed: folder === 'internals' };
}

function titleOf(file: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (title === undefined) throw new Error(`${file} has no heading of level 1`);
  return title.replaceAll('`', '');
}

/** The sidebar of the site. */
export const sidebar = [...GROUPS, { group: 'Internals', folder: 'internals', pages: INTERNALS }].map(section);
