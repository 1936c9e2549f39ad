import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { questions, records } from '../configs/animal-facts.ts';
import { dataDesigner } from './command-line.ts';

const readme = readFileSync('README.md', 'utf8');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** The code block that follows a marker comment. */
function block(marker: string): string {
  const after = readme.slice(readme.indexOf(`<!-- ${marker} -->`));
  return /```\w+\n([\s\S]*?)```/.exec(after)?.[1] ?? '';
}

test('the builder example of the README runs, and its records are typed', () => {
  expect(block('configs/animal-facts.ts')).toBe(readFileSync('configs/animal-facts.ts', 'utf8'));
  expect(records).toHaveLength(3);
  expect(questions[0]).toMatch(/^(octopuses|bees): ./);
  expectTypeOf(records[0]!.animal).toEqualTypeOf<'octopuses' | 'bees'>();
  expectTypeOf(records[0]!.quiz).toEqualTypeOf<{ question: string; answer: string }>();
  expectTypeOf(records[0]!.fact__trace[0]!.role).toEqualTypeOf<'system' | 'user' | 'assistant' | 'tool'>();
});

test('the YAML example of the README makes records', async () => {
  const file = join(folder, 'facts.yaml');
  writeFileSync(file, block('yaml example'));
  const { code, stdout } = await dataDesigner(['preview', file, '-n', '2', '--json']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { records: unknown[] }).records).toHaveLength(2);
});

test.each(globSync('configs/*.yaml'))('%s is valid and makes records', async (config) => {
  const validated = await dataDesigner(['validate', config]);
  expect(validated.stdout).toContain('is valid');
  const { code, stdout } = await dataDesigner(['preview', config, '-n', '3', '--json']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { records: unknown[] }).records).toHaveLength(3);
});
