import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customColumn, DataDesigner, DataDesignerConfigBuilder, type PreviewResults } from 'data-designer';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';

/** After a change on purpose: `npx vitest run test/messages -u`. */
const SNAPSHOT = 'code-mistakes.txt';

const folder = mkdtempSync(join(tmpdir(), 'code-mistakes-'));
const designer = new DataDesigner({ artifactPath: folder });

afterAll(() => rmSync(folder, { recursive: true }));

/** Plain JavaScript may pass anything. */
const plain = (value: unknown) => value as never;

const asResults = (value: unknown) => value as PreviewResults;

const builder = () =>
  new DataDesignerConfigBuilder({
    modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
  }).addColumn({ name: 'topic', columnType: 'sampler', samplerType: 'category', params: { values: ['a', 'b'] } });

const misspelt: string = 'writr';
const ask = { name: 'made', modelAlias: 'writer', prompt: 'On {{ topic }}.' } as const;

/** The mistakes of a first hour in code, by what is wrong. */
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  'a number in place of options': () => designer.create(builder(), plain(100)),
  'results that are not awaited': () => asResults(designer.preview(builder())).displaySampleRecord(),
  'rows under another name': () => designer.create(builder(), plain({ count: 3 })),
  'a number of rows as text': () => designer.create(builder(), plain({ numRecords: '3' })),
  'a name of a dataset under another name': () => designer.create(builder(), plain({ numRecords: 1, name: 'facts' })),
  'a resume that is true': () => designer.create(builder(), plain({ numRecords: 1, resume: true })),
  'providers as a list': () => new DataDesigner(plain({ providers: [{ name: 'mine' }] })),
  'a key of the designer': () => new DataDesigner(plain({ apiKey: 'sk-1' })),
  'a provider with a url': () =>
    new DataDesigner({ providers: { models: [plain({ name: 'mine', url: 'http://localhost/v1' })] } }).preview(
      builder(),
    ),
  'a path in place of a config': () => designer.preview(plain('facts.yaml')),
  'a column without a type': () =>
    builder()
      .addColumn(plain({ name: 'made', prompt: 'x' }))
      .build(),
  'a list of columns': () => builder().addColumn(plain([{ name: 'made' }])),
  'the name of a column before its config': () => builder().addColumn(plain('made')),
  'a prompt that is a function': () =>
    builder()
      .addColumn(plain({ ...ask, columnType: 'llm-text', prompt: String }))
      .build(),
  'a model that does not exist': () =>
    builder()
      .addColumn({ ...ask, columnType: 'llm-text', modelAlias: misspelt })
      .build(),
  'a date in a schema': () =>
    builder().addColumn({ ...ask, columnType: 'llm-structured', outputFormat: z.object({ day: z.date() }) }),
  'a bare function of a custom column': () =>
    builder()
      .addColumn(plain({ name: 'made', columnType: 'custom', generatorFunction: () => 1 }))
      .build(),
  'a custom column of a column that does not exist': () => {
    const generatorFunction = customColumn({ requiredColumns: ['topci'], generate: () => ({ made: 'x' }) });
    return builder().addColumn({ name: 'made', columnType: 'custom', generatorFunction }).build();
  },
  'rows of a seed without a source': () =>
    builder()
      .withSeedDataset(plain([{ a: 1 }]))
      .build(),
  'rows of a seed without a type': () =>
    builder()
      .withSeedDataset(plain({ rows: [{ a: 1 }] }))
      .build(),
  'a seed without rows': () => designer.preview(builder().withSeedDataset({ seedType: 'df', rows: [] })),
};

async function messageOf(title: string, mistake: () => unknown): Promise<string> {
  try {
    await mistake();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error(`${title} is no mistake`);
}

test('code-mistakes.txt holds what programmers see for the mistakes of a first hour', async () => {
  const shown: string[] = [];
  for (const [title, mistake] of Object.entries(MISTAKES))
    shown.push(`# ${title}\n\n${await messageOf(title, mistake)}`);
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot(SNAPSHOT);
});
