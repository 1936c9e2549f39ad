import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGES = resolve(import.meta.dirname, '../packages');
const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/internals/architecture.md'), 'utf8');

interface Step {
  readonly file: string;
  /** The interface or message format that joins the file with the one before it. */
  readonly through: string | undefined;
}

/** The numbered list below a heading. */
function stepsBelow(heading: string, page = PAGE): readonly Step[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [list = ''] = section.split('\n## ');
  const lines = list.matchAll(/^\d+\. `(?<file>[^`]+)`(?:, through `(?<through>[^`]+)`)?: \S/gm);
  return Array.from(lines, ({ groups = {} }) => ({ file: groups['file'] ?? '', through: groups['through'] }));
}

function sourceOf(file: string): string {
  return readFileSync(join(PACKAGES, file), 'utf8');
}

/** Whether a file imports another: by a path, also when it is used first, or a name that the other's package exports. */
function imports(file: string, other: string): boolean {
  const source = sourceOf(file);
  const [name = ''] = other.split('/');
  const isOwn = file.startsWith(`${name}/`);
  const clauses = source.matchAll(/^import (?<names>[^;]*?)from '(?<from>[^']+)';/gms);
  for (const { groups = {} } of clauses) {
    const { names = '', from = '' } = groups;
    if (isOwn && from.startsWith('.') && resolve(PACKAGES, dirname(file), from) === join(PACKAGES, other)) return true;
    if (!isOwn && new RegExp(`^@data-designer/${name}(/|$)`).test(from) && exportsOneOf(other, names)) return true;
  }
  const lazy = Array.from(source.matchAll(/\bimport\('(\.[^']+)'\)/g), ([, from = '']) =>
    resolve(PACKAGES, dirname(file), from),
  );
  return lazy.includes(join(PACKAGES, other));
}

function exportsOneOf(file: string, names: string): boolean {
  const exported = sourceOf(file).matchAll(
    /^export (?:abstract |async )?(?:class|interface|type|function|const) (\w+)/gm,
  );
  return Array.from(exported, ([, name]) => name).some((name) => new RegExp(`\\b${name}\\b`).test(names));
}

function isJoined(before: string, { file, through }: Step): boolean {
  if (through === undefined) return imports(before, file);
  return imports(before, through) && imports(file, through);
}

/** The steps that do not exist, or that the step before does not lead to. */
function brokenSteps(steps: readonly Step[]): readonly string[] {
  const missing = steps.flatMap(({ file, through }) => [file, through ?? file]).filter((one) => !isThere(one));
  if (missing.length > 0) return missing;
  return steps.slice(1).flatMap((step, index) => {
    const before = steps[index]?.file ?? '';
    return isJoined(before, step) ? [] : `${before} -> ${step.file}`;
  });
}

function isThere(file: string): boolean {
  return existsSync(join(PACKAGES, file));
}

test.each([
  { heading: 'From a prompt to the socket', least: 6, most: 11, first: 'columns/', last: 'gateway/' },
  { heading: 'From a tool call to its session', least: 6, most: 9, first: 'models/', last: 'mcp/' },
  { heading: 'From a selection to an accepted row', least: 5, most: 5, first: 'engine/', last: 'select/' },
  { heading: 'From a workflow to a stage', least: 5, most: 5, first: 'workflow/', last: 'workflow/' },
  { heading: 'From a request to its permit', least: 4, most: 4, first: 'gateway/', last: 'gateway/' },
  { heading: 'From an answer to a trace', least: 2, most: 2, first: 'models/', last: 'core/' },
])('$heading: at most $most files, and each imports the next', ({ heading, least, most, first, last }) => {
  const steps = stepsBelow(heading);
  expect(brokenSteps(steps)).toEqual([]);
  expect(steps.length).toBeGreaterThanOrEqual(least);
  expect(steps.length).toBeLessThanOrEqual(most);
  expect(steps[0]?.file.startsWith(first)).toBe(true);
  expect(steps.at(-1)?.file.startsWith(last)).toBe(true);
});

test('every file that architecture.md names exists', () => {
  const named = Array.from(PAGE.matchAll(/[a-z-]+\/src\/[a-z/-]*(?:\.ts)?/g), ([file]) => file);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});

test('every source file that a page of the internals names exists', { tags: 'long' }, () => {
  const root = resolve(import.meta.dirname, '..');
  const sources = globSync(['packages/*/{build,src,test}/**/*.ts', 'test/**/*.ts'], { cwd: root }).map(
    (path) => `/${path}`,
  );
  const isSource = (name: string) =>
    sources.some((path) => path.replace('/src/', '/').endsWith(`/${name.replace('/src/', '/')}`));
  const missing = globSync('docs/internals/*.md', { cwd: root }).flatMap((page) => {
    const named = readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+\.ts)`/g);
    return Array.from(named, ([, name = '']) => name)
      .filter((name) => !isSource(name))
      .map((name) => `${basename(page)}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the check finds a list that skips a file or names a missing one', () => {
  const steps = stepsBelow('From a prompt to the socket');
  expect(brokenSteps(steps.toSpliced(8, 1))).toHaveLength(1);
  expect(brokenSteps([...steps, { file: 'gateway/src/gone.ts', through: undefined }])).toContain('gateway/src/gone.ts');
});
