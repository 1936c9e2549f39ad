import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..');

/** The pages of the guide in reading order. */
const GUIDE = [
  'get-started',
  'recipes',
  'columns',
  'prompts-and-templates',
  'structured-output',
  'tools',
  'environments',
  'traces',
  'conversations',
  'judges-and-validation',
  'seeds',
  'samplers',
  'images-and-embeddings',
  'models-and-providers',
  'code-configs',
  'checking-a-config',
  'exactly-n',
  'attempts',
  'cost-and-budgets',
  'resume',
  'workflows',
  'cluster',
  'reproducibility',
  'view',
  'reports-and-viewing',
  'reviews',
  'training-data',
  'dedup',
  'hugging-face-hub',
  'observe-a-run',
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

/** One section of the sidebar: the pages of a folder, titled with their H1. Throws for a page that is not there. */
function section(text: string, folder: string, names: readonly string[]) {
  const items = names.map((name) => ({
    text: titleOf(join(DOCS, folder, `${name}.md`)),
    link: `/${folder}/${name}`,
  }));
  return { text, items, collapsed: folder === 'internals' };
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
];
