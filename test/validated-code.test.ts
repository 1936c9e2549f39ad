import { DataDesigner } from 'data-designer';
import { expect, test } from 'vitest';

interface Verdict {
  readonly is_valid: boolean | null;
  readonly error_messages: string | null;
}

const values = Array.from({ length: 60 }, (_, number) => number);

/** Python whose fault names its row, and SQL that is right in every other row. */
const columns = [
  { name: 'number', column_type: 'sampler', sampler_type: 'category', params: { values } },
  // Rows that 7 divides are lost.
  { name: 'whole', column_type: 'expression', dtype: 'int', expr: "{{ number if number % 7 else 'none' }}" },
  { name: 'script', column_type: 'expression', expr: 'print(row_{{ number }})' },
  {
    name: 'other',
    column_type: 'expression',
    expr: 'print(other_{{ number }})',
    propagate_skip: false,
    skip: { when: '{{ number % 3 == 0 }}', value: null },
  },
  { name: 'query', column_type: 'expression', expr: "SELECT {{ number }}{{ ' FORM t' if number % 2 else '' }}" },
  {
    name: 'lint',
    column_type: 'validation',
    target_columns: ['script', 'other'],
    validator_type: 'code',
    validator_params: { code_lang: 'python' },
    batch_size: 2,
    propagate_skip: false,
  },
  {
    name: 'check',
    column_type: 'validation',
    target_columns: ['query'],
    validator_type: 'code',
    validator_params: { code_lang: 'sql:sqlite' },
    skip: { when: '{{ number % 5 == 0 }}', value: null },
  },
  { name: 'said', column_type: 'expression', expr: '{{ lint.script.is_valid }} {{ lint.script.python_linter_score }}' },
];

test('verdicts stay with their rows, whatever was lost or skipped before', async () => {
  await using designer = new DataDesigner({ runConfig: { seed: 5, bufferSize: 9 } });
  const results = await designer.preview({ document: { columns }, source: 'the test' }, { numRecords: 80 });
  const records = await Array.fromAsync(results.records());
  expect(records.length).toBeGreaterThan(40);
  expect(records.length).toBeLessThan(80);
  for (const { number, lint, check, said } of records as readonly Record<string, unknown>[]) {
    const at = Number(number);
    const found = (name: string) => ({
      is_valid: false,
      python_linter_score: 0,
      python_linter_severity: 'error',
      python_linter_messages: [
        { type: 'error', symbol: 'F821', line: 1, column: 7, message: `Undefined name \`${name}_${at}\`` },
      ],
    });
    const nothing = {
      is_valid: null,
      python_linter_score: null,
      python_linter_severity: null,
      python_linter_messages: [],
    };
    expect(lint).toEqual({ script: found('row'), other: at % 3 === 0 ? nothing : found('other') });
    expect((check as Verdict | null)?.is_valid ?? null).toBe(at % 5 === 0 ? null : at % 2 === 0);
    expect(said).toBe('False 0.0');
  }
});
