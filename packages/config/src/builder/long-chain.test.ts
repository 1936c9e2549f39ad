import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/** Limit of type instantiations for 200 columns, a count that does not depend on the machine; at first 200,000. */
const MOST_INSTANTIATIONS = 1_000_000;

/** Column types modelled on the built-in ones; `ROWS` has a row type for each. */
const DECLARATIONS = `
const nothing = { reads: () => [], writes: () => [], cell: () => () => [] } as const;
const model = {
  prompt: z.string(),
  modelAlias: z.string(),
  toolAlias: z.string().nullable().default(null),
  withTrace: z.union([z.boolean(), z.enum(['none', 'last_message', 'all_messages'])]).default('none'),
  extractReasoningContent: z.boolean().default(false),
};
const picked = defineColumn({ type: 'picked', schema: z.strictObject({ ...columnFields('picked'), values: z.array(z.union([z.string(), z.number()])) }), ...nothing });
const text = defineColumn({ type: 'text', schema: z.strictObject({ ...columnFields('text'), ...model }), ...nothing });
const cast = defineColumn({ type: 'cast', schema: z.strictObject({ ...columnFields('cast'), dtype: z.enum(['str', 'int', 'float', 'bool']).default('str') }), ...nothing });
const data = defineColumn({ type: 'data', schema: z.strictObject({ ...columnFields('data'), ...model, outputFormat: z.record(z.string(), z.unknown()) }), ...nothing });
const scored = z.strictObject({ name: z.string(), options: z.record(z.string(), z.string()) });
const judge = defineColumn({ type: 'judge', schema: z.strictObject({ ...columnFields('judge'), ...model, scores: z.array(scored) }), ...nothing });
const types = [picked, text, cast, data, judge] as const;
`;

const ROWS = `
    picked: ColumnRow<Config, Config extends { readonly values: infer Values } ? DrawnValue<Values> : never>;
    text: ModelColumnRow<Config, string>;
    cast: ColumnRow<Config, CastValue<Config>>;
    data: ModelColumnRow<Config, Config extends { readonly outputFormat: infer Format } ? StructuredValue<Format> : never>;
    judge: ModelColumnRow<Config, Config extends { readonly scores: infer Scores } ? JudgedValue<Scores> : never>;
`;

const COLUMNS: readonly ((index: number) => string)[] = [
  (index) => `columnType: 'picked', values: ['a${index}', 'b${index}']`,
  () => `columnType: 'text', modelAlias: 'm', prompt: 'p', withTrace: true, extractReasoningContent: true`,
  () => `columnType: 'cast', dtype: 'int'`,
  (index) => `columnType: 'data', modelAlias: 'm', prompt: 'p', outputFormat: z.object({ q${index}: z.string() })`,
  () =>
    `columnType: 'judge', modelAlias: 'm', prompt: 'p', scores: [{ name: 'Tone', options: { warm: 'w', flat: 'f' } }]`,
];

/** A program that chains `columns` columns, then uses the types of the last five correctly and one type wrongly. */
function program(columns: number, builder: string): string {
  const steps = Array.from({ length: columns }, (_, index) => {
    const column = COLUMNS[index % COLUMNS.length] as (index: number) => string;
    return `  .addColumn({ name: 'c${index}', ${column(index)} })`;
  });
  const last = columns - COLUMNS.length;
  return `import { z } from 'zod';
import { columnFields, defineColumn } from '${builder}../define-column.ts';
import { bindConfigBuilder } from '${builder}bind-config-builder.ts';
import type { ColumnRow, ModelColumnRow } from '${builder}column-row.ts';
import type { ColumnSetOf } from '${builder}column-set.ts';
import type { CastValue, DrawnValue, JudgedValue, StructuredValue } from '${builder}column-value.ts';
import type { RowOf } from '${builder}config-builder.ts';
${DECLARATIONS}
interface Rows<Config> {${ROWS}}
interface Columns extends ColumnSetOf<typeof types> {
  readonly rows: Rows<this['config']>;
}
const Builder = bindConfigBuilder<Columns>(types);
const builder = new Builder()
${steps.join('\n')};
declare const row: RowOf<typeof builder>;
export const drawn: 'a${last}' | 'b${last}' = row.c${last};
export const told: string | null | undefined = row.c${last + 1}__trace[0]?.content ?? row.c${last + 1}__reasoning_content;
export const whole: number = row.c${last + 2};
export const question: string = row.c${last + 3}.q${last + 3};
export const score: 'warm' | 'flat' = row.c${last + 4}.Tone.score;
// @ts-expect-error -- it is text
export const wrong: number = row.c1;
`;
}

test(
  'a chain of 200 columns compiles within the limit and types its last columns',
  { timeout: 120_000, tags: 'long' },
  () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chain-')));
    try {
      const builder = `${relative(folder, here).replaceAll('\\', '/')}/`;
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, 'chain.ts'), program(200, builder));
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          extends: join(root, 'tsconfig.json'),
          include: [],
          files: ['chain.ts', join(root, 'packages/template/src/nunjucks.d.ts')],
        }),
      );
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const run = spawnSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' });
      expect(run.stdout).not.toContain('error TS');
      expect(run.status).toBe(0);
      const instantiations = Number(/Instantiations:\s+(\d+)/.exec(run.stdout)?.[1]);
      expect(instantiations).toBeLessThan(MOST_INSTANTIATIONS);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
