import { globSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { records } from '../configs/animal-facts.ts';
import { dataDesigner } from './command-line.ts';
import { runProgram } from './npm.ts';

const readme = readFileSync('README.md', 'utf8');
/** The code block that follows a marker comment. */
function block(marker: string): string {
  const after = readme.slice(readme.indexOf(`<!-- ${marker} -->`));
  return /```\w+\n([\s\S]*?)```/.exec(after)?.[1] ?? '';
}

test('the TypeScript example of the README prints a question for each record, and its records are typed', async () => {
  expect(block('configs/animal-facts.ts')).toBe(readFileSync('configs/animal-facts.ts', 'utf8'));
  const { code, stdout } = await runProgram(process.execPath, ['configs/animal-facts.ts'], { cwd: '.' });
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 0,
    lines: Array(3).fill(expect.stringMatching(/^(octopuses|bees): ./)),
  });
  type Example = (typeof records)[number];
  expectTypeOf<Example['animal']>().toEqualTypeOf<'octopuses' | 'bees'>();
  expectTypeOf<Example['quiz']>().toEqualTypeOf<{ question: string; answer: string }>();
  expectTypeOf<Example['fact__trace'][number]['role']>().toEqualTypeOf<'system' | 'user' | 'assistant' | 'tool'>();
});

test('the YAML example of the README is configs/facts.yaml', () => {
  expect(block('configs/facts.yaml')).toBe(readFileSync('configs/facts.yaml', 'utf8'));
});

test.each(globSync('configs/*.yaml'))('%s is valid and makes records', async (config) => {
  const validated = await dataDesigner(['validate', config]);
  expect(validated.stdout).toContain('is valid');
  const { code, stdout } = await dataDesigner(['preview', config, '-n', '3', '--json']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { records: unknown[] }).records).toHaveLength(3);
});
