import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'scheduler-events-'));
});
afterEach(() => rmSync(artifactPath, { recursive: true }));

interface Event {
  readonly event_kind: string;
  readonly captured_at_monotonic: number;
  readonly sequence: number;
  readonly captured_correlation: Readonly<Record<string, unknown>>;
  readonly task_id: string | null;
  readonly task_execution_id: string | null;
  readonly task_lease_id: string | null;
  readonly snapshot: { readonly resource_limits: object; readonly leased_resources: object };
  readonly diagnostics: Readonly<Record<string, unknown>>;
}

/** The fields of an event and of its correlation, in the order in which the Python tool writes them. */
const FIELDS = [
  'event_kind',
  'captured_at_monotonic',
  'sequence',
  'captured_correlation',
  'task_id',
  'task_execution_id',
  'task_lease_id',
  'scheduler_resource_key',
  'reason_or_result',
  'snapshot',
  'diagnostics',
];
const CORRELATION = [
  'run_id',
  'row_group',
  'task_column',
  'task_type',
  'scheduling_group_kind',
  'scheduling_group_identity_hash',
  'task_execution_id',
];

const KINDS_OF_A_CELL = ['ready_enqueued', 'selected', 'task_lease_acquired', 'task_lease_released', 'task_completed'];

test('scheduler_events.jsonl has the fields of the Python tool, and every step of every cell', async () => {
  await using making = new DataDesigner({
    artifactPath,
    runConfig: { seed: 5, bufferSize: 2, writeSchedulerEvents: true },
  });
  const declared = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'short', columnType: 'expression', expr: '{{ id[:4] }}' })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ short }}.' })
    .addColumn({ name: 'kind', columnType: 'sampler', samplerType: 'category', params: { values: ['1', 'x'] } })
    // Rows of the kind x fail, because it is no number.
    .addColumn({ name: 'number', columnType: 'expression', dtype: 'int', expr: '{{ kind if text else 0 }}' });
  const results = await making.create(declared, { numRecords: 5 });
  expect(results.count).toBeGreaterThan(0);
  expect(results.count).toBeLessThan(5);
  const text = readFileSync(join(results.path, 'scheduler_events.jsonl'), 'utf8');
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  for (const event of events) {
    expect(Object.keys(event)).toEqual(FIELDS);
    expect(Object.keys(event.captured_correlation)).toEqual(CORRELATION);
  }
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const kinds = events.map(({ event_kind }) => event_kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(['scheduler_job_started', 'scheduler_job_completed']);
  expect(events[0]?.diagnostics).toMatchObject({
    num_records: 5,
    buffer_size: 2,
    row_group_count: 3,
    row_group_min_size: 1,
    row_group_max_size: 2,
    graph_column_count: 5,
    graph_root_columns: ['id', 'kind'],
    graph_depth: 4,
    resource_limits: { 'request:simulator/sim-small': 4 },
  });
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  expect([count('row_group_admitted'), count('row_group_checkpointed')]).toEqual([3, 3]);
  const cells = Map.groupBy(
    events.filter((event) => event.captured_correlation['task_column'] === 'text'),
    ({ task_id }) => task_id,
  );
  expect(cells.size).toBe(5);
  for (const steps of cells.values()) {
    expect(steps.map(({ event_kind }) => event_kind)).toEqual(KINDS_OF_A_CELL);
    const times = steps.map(({ captured_at_monotonic }) => captured_at_monotonic);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(steps[0]).toMatchObject({
      task_id: expect.stringMatching(/^task-[0-9a-f]{16}$/) as string,
      task_execution_id: null,
      captured_correlation: { task_type: 'cell', scheduling_group_kind: 'model' },
    });
    expect(steps[2]).toMatchObject({
      task_execution_id: expect.stringMatching(/^task-exec-[0-9a-f]{32}$/) as string,
      task_lease_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      scheduler_resource_key: 'request:simulator/sim-small',
      snapshot: { leased_resources: { 'request:simulator/sim-small': expect.any(Number) as number } },
    });
    expect(steps[3]?.task_lease_id).toBe(steps[2]?.task_lease_id);
  }
  const groups = events.filter(({ event_kind }) => event_kind === 'row_group_checkpointed');
  const rows = (key: string) => groups.reduce((sum, { diagnostics }) => sum + Number(diagnostics[key]), 0);
  expect([rows('surviving_rows'), rows('surviving_rows') + rows('dropped_rows')]).toEqual([results.count, 5]);
  expect(count('non_retryable_dropped')).toBe(5 - results.count);
  expect(events.at(-1)).toMatchObject({ reason_or_result: 'success', snapshot: { leased_resources: {} } });
});
