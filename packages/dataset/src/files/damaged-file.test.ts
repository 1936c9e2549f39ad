import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { damagedFile, orDamaged } from './damaged-file.ts';

const ROWS = join('facts', 'parquet-files', 'batch_00000-00041.arrow');

test.each([
  ['a file of rows', ROWS, true],
  ['a table of a processor', join('facts', 'processors-files', 'chats', 'batch_00000.parquet'), true],
  ['a table of dropped columns', join('facts', 'dropped-columns-parquet-files', 'batch_00000.parquet'), true],
  ['a copy of rows', join('facts', 'batch_00000.parquet'), false],
  ['another file', join('facts', 'run.json'), false],
])('the error names %s, and suggests --resume only if a resume makes the file again', (_, path, isMadeAgain) => {
  const { message } = damagedFile(path, new Error('it is empty.\nAt once.'));
  expect(message.startsWith(`Cannot read ${path}: it is empty.`)).toBe(true);
  expect(message.includes('--resume always')).toBe(isMadeAgain);
});

test.each([
  [{ models: ['writer'], tools: [] }, '(--resume always --re-request), which regenerates its rows with new requests,'],
  [{ models: [], tools: [] }, '(--resume always), which regenerates its rows,'],
])('the command of the error allows new requests only where rows need them: %j', async (requires, command) => {
  const folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  await writeFile(join(folder, 'run.json'), JSON.stringify({ plan: { columns: [{ name: 'a', requires }] } }));
  for (const table of ['parquet-files', join('processors-files', 'chats')]) {
    const { message } = damagedFile(join(folder, table, 'batch_00000.parquet'), new Error('it is empty.'));
    expect(message).toContain(command);
  }
  await rm(folder, { recursive: true });
});

function syntaxErrorOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    return thrown;
  }
}

test('the error for a record that is not JSON has the whole reason and a remedy', () => {
  const { message } = damagedFile('run.json', syntaxErrorOf('x\n'));
  expect(message).toBe(
    `Cannot read run.json: Unexpected token 'x', "x " is not valid JSON. Restore the file from a copy, or create a new dataset under another name.`,
  );
});

test('the error for a refusal of the file system does not suggest making rows again', async () => {
  const failure = await orDamaged(ROWS, () => readFile(ROWS)).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'dataset/damaged', cause: { code: 'ENOENT' } });
  expect(String(failure)).not.toContain('--resume');
});

test('a DataDesignerError is returned unchanged', () => {
  const known = new DataDesignerError('dataset/missing', { path: 'facts' });
  expect(damagedFile(ROWS, known)).toBe(known);
});
