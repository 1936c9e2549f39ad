import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';

/** What to make: rows by so many LLM text columns, each reading the one before. */
export interface DatasetShape {
  readonly rows: number;
  readonly columns: number;
  readonly inFlight: number;
}

function category(name: string, values: readonly unknown[]): object {
  return { name, column_type: 'sampler', sampler_type: 'category', params: { values } };
}

function declaration({ columns, inFlight }: DatasetShape): unknown {
  const texts = Array.from({ length: columns }, (_, index) => ({
    name: `text_${index}`,
    column_type: 'llm-text',
    model_alias: 'bench',
    prompt:
      index === 0 ? 'Say something about {{ topic }}, number {{ number }}.' : `Say it again: {{ text_${index - 1} }}`,
  }));
  const model = {
    alias: 'bench',
    model: 'bench',
    provider: 'bench',
    inference_parameters: { max_parallel_requests: inFlight },
  };
  return {
    model_configs: [model],
    columns: [
      category('topic', ['tides', 'salt']),
      category(
        'number',
        Array.from({ length: 1000 }, (_, n) => n),
      ),
      ...texts,
    ],
  };
}

/** Milliseconds from the first row group's opening to the end; starting threads and servers is not in it. */
export async function runDataset(endpoint: string, shape: DatasetShape): Promise<number> {
  const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
  const provider = {
    name: 'bench',
    endpoint,
    providerType: 'openai',
    apiKey: null,
    extraBody: null,
    extraHeaders: null,
  } as const;
  const designer = new DataDesigner({ artifactPath, providers: { models: [provider], tools: [] } });
  let started = 0;
  try {
    const { count } = await designer.create(
      { document: declaration(shape), source: 'bench' },
      { numRecords: shape.rows, onEvent: ({ type }) => void (type === 'run-start' && (started = performance.now())) },
    );
    if (count !== shape.rows) throw new Error(`${count} of ${shape.rows} rows`);
    return performance.now() - started;
  } finally {
    rmSync(artifactPath, { recursive: true });
  }
}
