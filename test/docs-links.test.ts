import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { sidebar } from '../docs/.vitepress/sidebar.ts';
import { type MarkdownPage, readPage } from './markdown.ts';

const paths = [...globSync('docs/{guide,reference,internals}/*.md'), 'docs/index.md', 'README.md', 'AGENTS.md'];
const pages = new Map(paths.map((path) => [path, readPage(path)]));

/** What is wrong with a link; undefined if it leads to a page, and to one of its headings. */
function faultOf(page: MarkdownPage, target: string): string | undefined {
  if (/^(https?:|mailto:)/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const file = fileOf(page, path);
  const isInSite = page.path.startsWith('docs/');
  if (isInSite && !file.startsWith('docs/')) return 'leaves the site: write the name of the file as code instead';
  if (!existsSync(file)) return `there is no ${file}`;
  if (anchor === undefined) return undefined;
  const there = pages.get(file) ?? readPage(file);
  return there.anchors.has(anchor) ? undefined : `${file} has no heading '${anchor}'`;
}

/** The file that the path of a link names; a page of the site may leave out its ending. */
function fileOf(page: MarkdownPage, path: string): string {
  if (path === '') return page.path;
  const file = path.startsWith('/') ? join('docs', path) : relative('.', join(dirname(page.path), path));
  return page.path.startsWith('docs/') && !/\.\w+$/.test(file) ? `${file}.md` : file;
}

test('every link of the docs leads to a page that exists and to one of its headings', () => {
  const faults = [...pages.values()].flatMap((page) =>
    page.links.flatMap(({ at, target }) => {
      const fault = faultOf(page, target);
      return fault === undefined ? [] : [`${at}: ${target}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('the pages of the package speak of nothing that only a clone of the repository has', () => {
  const faults = globSync('docs/{guide,reference}/*.md').flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('<!--'))
      .flatMap((line) => /npm (?:run (?:pack|bench|chaos|oracle|docs)|test)\b|\bclone\b|`configs\//.exec(line) ?? [])
      .map((found) => `${path}: ${found}`),
  );
  expect(faults).toEqual([]);
});

test('every page of the site is in the sidebar', () => {
  const listed = sidebar.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));
  expect(listed.toSorted()).toEqual(globSync('docs/*/*.md').toSorted());
});

test('a missing page, a missing heading and a link out of the site are reported', () => {
  const page = readPage('docs/internals/architecture.md');
  expect(faultOf(page, './no-such-page')).toBe('there is no docs/internals/no-such-page.md');
  expect(faultOf(page, '#no-such-heading')).toBe("docs/internals/architecture.md has no heading 'no-such-heading'");
  expect(faultOf(page, '../../package.json')).toContain('leaves the site');
  expect(faultOf(page, '#architecture')).toBeUndefined();
});
