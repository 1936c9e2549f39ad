import type { Meter, ObservableResult } from '@opentelemetry/api';
import type { CallRecord, ModelState } from '@data-designer/gateway';
import { modelAttributes } from './run-spans.ts';
import type { RunTelemetry, TelemetryParts } from './telemetry.ts';

/** A run that goes on: the rows to make, those that are made or lost, and the states of its models. */
interface ActiveRun {
  rows: number;
  settled: number;
  models: readonly ModelState[];
}

/** The runs of this process that go on. The first one reports for all. */
const active = new Set<ActiveRun>();

/** The metrics of a run, with the names of the Python tool and of the GenAI semantic conventions. */
export function openRunMetrics({ api, operation, source, modelTargetOf }: TelemetryParts): RunTelemetry {
  const meter = api.metrics.getMeter(...source);
  const startedAt = performance.now();
  const run: ActiveRun = { rows: 0, settled: 0, models: [] };
  const observing = observe(meter, run, modelTargetOf);
  const calls = callMetrics(meter);
  const created = operation === 'create' ? datasetMetrics(meter) : undefined;
  created?.events.add(1, { 'event.name': 'job.started' });
  return {
    observer: {
      onCalls: (ended) => ended.forEach(calls),
      onModels: (models) => void (run.models = models),
      onGroupEnd: ({ rows, lost, failures }) => {
        created?.records.add(rows, { 'record.result': 'generated' });
        for (const one of lost) created?.records.add(one.rows, { 'record.result': 'dropped' });
        for (const { code } of failures) created?.events.add(1, { 'event.name': 'task.error', 'error.type': code });
      },
    },
    onEvent: (event) => {
      if (event.type !== 'progress') return;
      const { wanted, done, before, lost } = event.snapshot.rows;
      run.rows = wanted - before;
      run.settled = Math.min(run.rows, done + lost - before);
    },
    end: ({ outcome, error }) => {
      observing[Symbol.dispose]();
      const failed = error === undefined ? {} : { 'error.type': error };
      created?.events.add(1, { 'event.name': 'job.completed', outcome, ...failed });
      created?.duration.record((performance.now() - startedAt) / 1000, failed);
    },
  };
}

/** The metrics of runs that make datasets. */
function datasetMetrics(meter: Meter) {
  return {
    duration: meter.createHistogram('data_designer.create.duration', {
      unit: 's',
      description: 'Duration of a run that makes a dataset.',
    }),
    records: meter.createCounter('data_designer.dataset.records', {
      unit: '{record}',
      description: 'Records of finished row groups: generated, or dropped because a cell failed.',
    }),
    events: meter.createCounter('data_designer.scheduler.events', {
      unit: '{event}',
      description: 'Starts and ends of runs, and failed cells.',
    }),
  };
}

/** The bounds that the GenAI semantic conventions advise: seconds from 0.01 to 81.92, and powers of 4 of tokens. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Takes model calls into the metrics of the GenAI semantic conventions. */
function callMetrics(meter: Meter): (call: CallRecord) => void {
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Duration of a request to a model, with its retries.',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const usage = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Input and output tokens of a request to a model.',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  return (call) => {
    if (call.kind !== 'model') return;
    const attributes = modelAttributes(call);
    const failed = call.error === null ? {} : { 'error.type': call.error };
    duration.record(call.elapsedMs / 1000, { ...attributes, ...failed });
    if (!call.tokens) return;
    usage.record(call.tokens.input, { ...attributes, 'gen_ai.token.type': 'input' });
    usage.record(call.tokens.output, { ...attributes, 'gen_ai.token.type': 'output' });
  };
}

/** Observes progress and requests in flight of all active runs while this one goes on. */
function observe(meter: Meter, run: ActiveRun, modelTargetOf: TelemetryParts['modelTargetOf']): Disposable {
  const progress = meter.createObservableGauge('data_designer.dataset.progress', {
    unit: '1',
    description: 'Share of the rows of all active runs that are made or lost.',
  });
  const requests = meter.createObservableUpDownCounter('data_designer.model.request.active', {
    unit: '{request}',
    description: 'Requests to models in flight.',
  });
  const isFirst = (): boolean => active.values().next().value === run;
  const observeProgress = (result: ObservableResult): void => {
    const rows = sumOf([...active], 'rows');
    if (isFirst() && rows > 0) result.observe(sumOf([...active], 'settled') / rows);
  };
  const observeRequests = (result: ObservableResult): void => {
    if (!isFirst()) return;
    const states = [...active].flatMap(({ models }) => models);
    for (const [resource, of] of Map.groupBy(states, (state) => state.resource)) {
      const { operation, provider, model } = modelTargetOf(resource);
      result.observe(sumOf(of, 'inFlight'), {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      });
    }
  };
  active.add(run);
  progress.addCallback(observeProgress);
  requests.addCallback(observeRequests);
  return {
    [Symbol.dispose]: () => {
      active.delete(run);
      progress.removeCallback(observeProgress);
      requests.removeCallback(observeRequests);
    },
  };
}

function sumOf<Key extends string>(parts: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return parts.reduce((sum, part) => sum + part[key], 0);
}
