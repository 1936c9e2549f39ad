import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { sidebar } from '../docs/.vitepress/sidebar.ts';
import { runCommand } from './command-line.ts';
import { readPage } from './markdown.ts';

interface ListedPage {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly path: string;
}

async function listedPages(): Promise<readonly ListedPage[]> {
  const { stdout } = await runCommand(['docs', '--json']);
  return (JSON.parse(stdout) as { pages: ListedPage[] }).pages;
}

test('docs lists the pages of the guide and the reference in the groups of the site', async () => {
  const groups = sidebar.filter(({ text }) => text !== 'Internals');
  const titles = groups.flatMap(({ text, items }) => items.map((item) => `${text}: ${item.text}`));
  const pages = await listedPages();
  expect(pages.map(({ group, title }) => `${group}: ${title}`)).toEqual(titles);
  const { stdout } = await runCommand(['docs']);
  for (const { name, title, group } of pages) {
    expect(stdout).toContain(`${group}\n`);
    expect(stdout).toMatch(new RegExp(`^  ${name} +${title.replaceAll(/[()]/g, String.raw`\$&`)}$`, 'm'));
  }
});

test(
  'docs prints every page without the lines above its title, and with links that lead to other pages',
  { tags: 'long' },
  async () => {
    for (const { name, title } of await listedPages()) {
      const { code, stdout } = await runCommand(['docs', name]);
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(stdout.split('\n', 1).join().replaceAll('`', '')).toBe(`# ${title}`);
      expect({ name, dead: /\]\([^)]*(?:internals\/|\.(?:png|svg)\b)/.exec(stdout)?.[0] }).toEqual({ name });
    }
  },
);

test('the names of links, files and shared pages find their page', async () => {
  for (const name of ['./tools.md', 'docs/guide/tools.md', '../guide/tools#limits', 'Tools'])
    expect((await runCommand(['docs', name])).stdout).toContain('# Tools and MCP\n');
  expect((await runCommand(['docs', 'errors'])).stdout).toContain('# Errors\n');
  const { stdout } = await runCommand(['docs', 'reference/tools', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ name: 'reference/tools', text: expect.stringMatching(/^# Tools\n/) });
});

/** What the command says about a page that does not exist. */
async function said(name: string): Promise<string> {
  const { code, stderr } = await runCommand(['docs', name]);
  expect({ name, code }).toEqual({ name, code: 2 });
  return stderr.split('\n', 1).join();
}

test('an unknown page leads to the page that was meant, to those that mention the words, or to the list', async () => {
  expect(await said('tolls')).toBe("error: unknown page 'tolls'. Did you mean 'tools'?");
  expect(await said('gradient checkpointing')).toBe(
    "error: unknown page 'gradient checkpointing'. List the pages with: data-designer docs",
  );
  expect(await said('retry failed rows')).toMatch(/These pages mention it: .*\bresume\b/);
  expect(await said('..')).toContain('List the pages with');
});

test('every page that a README names can be printed', async () => {
  const names = new Set((await listedPages()).map(({ name }) => name));
  for (const page of globSync(['README.md', 'packages/data-designer/README.md'])) {
    const named = [...readFileSync(page, 'utf8').matchAll(/\bdocs ([a-z][\w/-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  }
  const fences = readPage('packages/data-designer/README.md').fences.map(({ code }) => code);
  expect(fences.join('')).toContain(`docs ${basename('docs/guide/get-started.md', '.md')}`);
});
