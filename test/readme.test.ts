import { globSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { records } from '../configs/animal-facts.ts';
import { runCommand } from './command-line.ts';
import { runProgram } from './npm.ts';

const READMES = ['README.md', 'packages/data-designer/README.md'];

/** The code block of a page that follows a marker comment. */
function block(page: string, marker: string): string {
  const text = readFileSync(page, 'utf8');
  return /```\w+\n([\s\S]*?)```/.exec(text.slice(text.indexOf(`<!-- ${marker} -->`)))?.[1] ?? '';
}

test.each(READMES)('the examples of %s are those of configs', (page) => {
  for (const file of ['configs/animal-facts.ts', 'configs/facts.yaml']) {
    expect(block(page, file)).toBe(readFileSync(file, 'utf8'));
  }
});

test(
  'the TypeScript example of the README prints what it says, and its records are typed',
  { tags: 'long' },
  async () => {
    const { code, stdout } = await runProgram(process.execPath, ['configs/animal-facts.ts'], { cwd: '.' });
    const lines = stdout.trimEnd().split('\n');
    expect({ code, rows: lines.length }).toEqual({ code: 0, rows: 3 });
    const shown = /```text\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1]?.split('\n');
    for (const line of lines) expect(shown).toContain(line);
    type Example = (typeof records)[number];
    expectTypeOf<Example['animal']>().toEqualTypeOf<'octopuses' | 'bees'>();
    expectTypeOf<Example['quiz']>().toEqualTypeOf<{ question: string; answer: string }>();
    expectTypeOf<Example['fact__trace'][number]['role']>().toEqualTypeOf<'system' | 'user' | 'assistant' | 'tool'>();
  },
);

test('the simulator writes the sentences that the README shows beside those of a model', async () => {
  const text = readFileSync('README.md', 'utf8');
  const table = text.slice(text.indexOf('<!-- configs/sentences.yaml -->'));
  const rows = [...table.matchAll(/^\| (\w+) +\| ([^|]+?) +\|/gm)].slice(1).map(([, animal, said]) => [animal, said]);
  const args = ['preview', 'configs/sentences.yaml', '-n', '3', '--seed', '1', '--json'];
  const { records } = JSON.parse((await runCommand(args)).stdout) as { records: Record<string, string>[] };
  expect(records.map(({ animal, sentence }) => [animal, sentence])).toEqual(rows.slice(0, 3));
});

test.each(globSync('configs/*.yaml'))('%s is valid and makes records', { tags: 'long' }, async (config) => {
  const validated = await runCommand(['validate', config]);
  expect(validated.stdout).toContain('is valid');
  const { code, stdout } = await runCommand(['preview', config, '-n', '3', '--json']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { records: unknown[] }).records).toHaveLength(3);
});
