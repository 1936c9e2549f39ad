import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, openViewer } from 'data-designer';
import { loadSinglePages } from '@data-designer/viewer/single-pages';
import { expect, test } from 'vitest';
import docs from '../docs/.vitepress/config.ts';

const PUBLISHED = join(import.meta.dirname, '..', 'packages', 'data-designer', 'dist');
const ICON = /<link rel="icon" href="(data:image\/[^"]+)"/;
const CONFIG = { columns: [{ name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} }] };

/** Writes a report, a page of records and a report of a workflow; gives the dataset's folder. */
async function writePages(folder: string): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: join(folder, 'datasets') });
  const results = await designer.create({ document: CONFIG, source: 'test' }, { numRecords: 2, datasetName: 'seen' });
  await (await results.loadAnalysis()).toReport({ savePath: join(folder, 'report.html') });
  await results.recordDisplay().savePage([0, 1], join(folder, 'records.html'));
  return results.path;
}

/** Whether the policy of a page allows its icon. The server of the viewer sends the policy of its app. */
function isAllowed(name: string, text: string): boolean {
  return name.includes('/viewer/') || /img-src[^;\n]* data:/.test(text);
}

test('every page has an icon in it, which its policy allows, so that browsers request none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-icons-'));
  try {
    const dataset = await writePages(folder);
    await using viewer = await openViewer(dataset);
    const served = await fetch(new URL('/', viewer.address));
    const stages = { caption: 'Stages', headings: [], rows: [], texts: [] };
    const { workflowPage } = await loadSinglePages(join(PUBLISHED, 'single-pages'));
    const files = [...globSync(join(PUBLISHED, '**', '*.html')), ...globSync(join(folder, '*.html'))];
    const pages = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));
    pages.set('viewer', `${served.headers.get('content-security-policy')}\n${await served.text()}`);
    pages.set('workflow', workflowPage({ name: 'flow', stages, reports: [] }));
    // The head of every page of the site.
    const head = docs.head?.map(([tag, { rel, href }]) => `<${tag} rel="${rel}" href="${href}"`).join('\n');
    pages.set('docs', `img-src data:\n${head}`);
    expect(pages.size).toBeGreaterThanOrEqual(7);
    const faulty = [...pages].filter(([name, text]) => !ICON.test(text) || !isAllowed(name, text));
    expect(faulty.map(([name]) => name)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
