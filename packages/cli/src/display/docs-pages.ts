import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownNames } from '@data-designer/core';
import { packageFolder } from '@data-designer/declaration';

/** A page of the guide or the reference. */
export interface DocsPage {
  /** The name of the file, after its folder if that is not the guide. */
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly path: string;
}

interface PageGroup {
  readonly group: string;
  readonly folder: string;
  readonly pages: readonly string[];
}

/** How many pages are named that mention an unknown name. */
const MOST_NAMED = 5;

/** The folder of the pages in the installed package. */
export function docsFolder(): string {
  return join(packageFolder(), 'dist', 'docs');
}

/** All pages in reading order. */
export function docsPages(): readonly DocsPage[] {
  const groups: readonly PageGroup[] = JSON.parse(readFileSync(join(docsFolder(), 'pages.json'), 'utf8'));
  return groups.flatMap(({ group, folder, pages }) =>
    pages.map((file) => {
      const path = join(docsFolder(), folder, `${file}.md`);
      const title = /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.replaceAll('`', '') ?? file;
      return { name: folder === 'guide' ? file : `${folder}/${file}`, title, group, path };
    }),
  );
}

/** The page of a name, a path such as `docs/guide/tools.md`, or the address of a link in a page. */
export function findPage(name: string): DocsPage | undefined {
  const plain = plainName(name);
  const pages = docsPages();
  return pages.find((page) => page.name === plain) ?? pages.find((page) => page.name === `reference/${plain}`);
}

function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/#.*$/, '')
    .replace(/\.md$/, '')
    .replace(/^(?:\.{0,2}\/)*(?:docs\/)?(?:guide\/)?/, '');
}

/** The text of a page without the lines above its title. */
export function readPage({ path }: DocsPage): string {
  return readFileSync(path, 'utf8').replace(/^---\n.*?\n---\n+/s, '');
}

/** The page that was meant by an unknown name, or the pages that mention its words most often. */
export function pagesAbout(name: string): string {
  const plain = plainName(name);
  const pages = docsPages();
  const names = pages.map((page) => page.name);
  const near = knownNames(plain, names);
  if (near.startsWith('Did you mean')) return near;
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  const counted = pages.map((page) => {
    const text = readFileSync(page.path, 'utf8').toLowerCase();
    return { name: page.name, count: Math.min(...words.map((word) => text.split(word).length - 1)) };
  });
  const mentioning = counted.filter(({ count }) => Number.isFinite(count) && count > 0);
  const most = mentioning.toSorted((a, b) => b.count - a.count).slice(0, MOST_NAMED);
  return most.length === 0
    ? 'List the pages with: data-designer docs'
    : `These pages mention it: ${most.map((page) => page.name).join(', ')}.`;
}
