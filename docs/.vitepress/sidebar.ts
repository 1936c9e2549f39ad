import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const DOCS = join(import.meta.dirname, '..');

/** The pages of the guide in reading order. */
const GUIDE = [
  'get-started',
  'columns',
  'prompts-and-templates',
  'structured-output',
  'tools',
  'traces',
  'judges-and-validation',
  'seeds',
  'samplers',
  'images-and-embeddings',
  'models-and-providers',
  'checking-a-config',
  'cost-and-budgets',
  'resume',
  'reproducibility',
  'reports-and-viewing',
  'agents',
  'plugins',
  'from-python',
  'bundlers',
];

/** The generated pages of the reference, in order. */
const REFERENCE = [
  'config',
  'columns',
  'samplers',
  'models',
  'tools',
  'seeds',
  'processors',
  'settings',
  'commands',
  'errors',
  'api',
  'plugins-api',
];

/** The pages of the internals, in the order of a row's way. */
const INTERNALS = [
  'architecture',
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
  'retries',
  'journal',
  'endings',
  'dataset-folder',
  'formats',
  'processors',
  'profile',
  'records',
  'progress',
  'rehearsal',
  'simulator',
  'serving',
  'security',
  'home-folder',
  'plugins',
  'performance',
];

/** The pages that the site must have, by path without the ending. */
export const PAGES = [
  ...GUIDE.map((name) => `guide/${name}`),
  ...REFERENCE.map((name) => `reference/${name}`),
  'internals/architecture',
];

/** Where a page's name stands in the sidebar's order; pages that no order names come last, by name. */
function inOrder(order: readonly string[]): (a: string, b: string) => number {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return (a, b) => rank(a) - rank(b) || a.localeCompare(b);
}

/** One section of the sidebar: the pages of a folder, titled with their H1. */
function section(text: string, folder: string, order: readonly string[]) {
  const names = globSync('*.md', { cwd: join(DOCS, folder) }).map((file) => basename(file, '.md'));
  const items = names.toSorted(inOrder(order)).map((name) => ({
    text: titleOf(join(DOCS, folder, `${name}.md`)),
    link: `/${folder}/${name}`,
  }));
  return { text, items };
}

function titleOf(file: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (title === undefined) throw new Error(`${file} has no heading of level 1`);
  return title.replaceAll('`', '');
}

/** The sidebar of the site. */
export const sidebar = [
  section('Guide', 'guide', GUIDE),
  section('Reference', 'reference', REFERENCE),
  section('Internals', 'internals', INTERNALS),
].filter(({ items }) => items.length > 0);
