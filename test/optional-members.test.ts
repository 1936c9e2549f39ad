import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const ANSWER = { title: 'moon', none: null, tags: [{ name: 'a' }], level: 'low' };

const card = z.object({
  title: z.string(),
  left: z.string().optional(),
  none: z.string().nullable(),
  either: z.string().nullish(),
  level: z.enum(['low', 'high']).default('low'),
  tags: z.array(z.object({ name: z.string(), weight: z.number().optional() })),
});

let folder: string;
let server: AnsweringServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'optional-members-'));
  server = await openAnsweringServer((_, response) => reply(response, completion(JSON.stringify(ANSWER))));
});

afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

test(
  'the type of a record has null where the dataset has it for a member that an answer leaves out',
  { tags: 'long' },
  async () => {
    const endpoint = `${server.origin}/v1`;
    const provider = {
      name: 'here',
      endpoint,
      providerType: 'openai',
      apiKey: null,
      extraBody: null,
      extraHeaders: null,
    } as const;
    await using designer = new DataDesigner({ artifactPath: folder, providers: { models: [provider], tools: [] } });
    const config = new DataDesignerConfigBuilder()
      .addModelConfig({ alias: 'writer', model: 'm', provider: 'here' })
      .addColumn({
        name: 'card',
        columnType: 'llm-structured',
        modelAlias: 'writer',
        prompt: 'A card.',
        outputFormat: card,
      });
    const results = await designer.create(config, { numRecords: 2 });
    for (const records of [results.records(), (await designer.preview(config, { numRecords: 1 })).records()]) {
      const [record] = await Array.fromAsync(records);
      const expected = { ...ANSWER, left: null, either: null, tags: [{ name: 'a', weight: null }] };
      expect(record).toEqual({ card: expected });
      expectTypeOf(record!.card).toEqualTypeOf<{
        title: string;
        left?: string | null | undefined;
        none: string | null;
        either?: string | null | undefined;
        level: 'low' | 'high';
        tags: { name: string; weight?: number | null | undefined }[];
      }>();
      // A schema that reads records of the dataset takes null where a member may be left out.
      const stored = card.extend({
        left: z.string().nullish(),
        tags: z.array(z.looseObject({ weight: z.number().nullish() })),
      });
      expect(stored.parse(record!.card)).toMatchObject({ title: 'moon', level: 'low' });
    }
  },
);

test('a schema with a transform is refused, since a dataset cannot hold its result', () => {
  const builder = new DataDesignerConfigBuilder();
  const outputFormat = z.object({ size: z.string().transform(Number) });
  const add = () =>
    builder.addColumn({
      name: 'card',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'A card.',
      outputFormat,
    });
  expect(add).toThrow(/cannot be converted to JSON Schema.*without transforms/s);
});
