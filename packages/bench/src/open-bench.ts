import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataDesigner } from 'data-designer';
import { REVIEW_SCHEMA } from './canned-review.ts';

const BUILT = new URL('../../data-designer/dist/index.js', import.meta.url);

/** What to make: rows by so many LLM text columns, each reading the one before, or by one structured column. */
interface DatasetShape {
  readonly rows: number;
  readonly columns: number | 'structured';
  readonly inFlight: number;
}

function category(name: string, values: readonly unknown[]): object {
  return { name, column_type: 'sampler', sampler_type: 'category', params: { values } };
}

const FIRST_PROMPT = 'Say something about {{ topic }}, number {{ number }}.';

function modelColumns(columns: DatasetShape['columns']): readonly object[] {
  if (columns === 'structured') {
    const config = { column_type: 'llm-structured', model_alias: 'bench', prompt: FIRST_PROMPT };
    return [{ ...config, name: 'review', output_format: REVIEW_SCHEMA }];
  }
  return Array.from({ length: columns }, (_, index) => ({
    name: `text_${index}`,
    column_type: 'llm-text',
    model_alias: 'bench',
    prompt: index === 0 ? FIRST_PROMPT : `Say it again: {{ text_${index - 1} }}`,
  }));
}

/** The config of a dataset whose models are at the provider `bench`. */
export function textDeclaration({ columns, inFlight }: DatasetShape): unknown {
  const model = {
    alias: 'bench',
    model: 'bench',
    provider: 'bench',
    inference_parameters: { max_parallel_requests: inFlight },
    // Nobody is asked whether it can: the responder answers everything alike.
    structured_output: false,
  };
  return {
    model_configs: [model],
    columns: [
      category('topic', ['tides', 'salt']),
      category(
        'number',
        Array.from({ length: 1000 }, (_, n) => n),
      ),
      ...modelColumns(columns),
    ],
  };
}

/** A designer for an endpoint, its datasets in a folder that goes with it. */
export interface BenchDesigner extends AsyncDisposable {
  /** Makes a dataset; milliseconds from the first row group's opening to the end, starting servers is not in it. */
  readonly create: (shape: DatasetShape) => Promise<number>;
  /** As `create`, of any declaration whose models are at the provider `bench`; throws where a row is lost. */
  readonly make: (document: unknown, rows: number) => Promise<number>;
}

/** Opens a designer of the built package whose model provider is `endpoint`. */
export async function openBench(endpoint: string): Promise<BenchDesigner> {
  // The package as it is published: the condition of the bench would resolve its name to the sources.
  const built = (await import(BUILT.href)) as typeof import('data-designer');
  const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
  const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
  const models = [{ name: 'bench', endpoint, ...rest }];
  const designer = new built.DataDesigner({ artifactPath, providers: { models, tools: [] } });
  return {
    create: (shape) => make(designer, textDeclaration(shape), shape.rows),
    make: (document, rows) => make(designer, document, rows),
    [Symbol.asyncDispose]: async () => {
      await designer[Symbol.asyncDispose]();
      rmSync(artifactPath, { recursive: true });
    },
  };
}

async function make(designer: DataDesigner, document: unknown, rows: number): Promise<number> {
  let started = 0;
  const { count } = await designer.create(
    { document, source: 'bench' },
    { numRecords: rows, onEvent: ({ type }) => void (type === 'run-start' && (started = performance.now())) },
  );
  if (count !== rows) throw new Error(`${count} of ${rows} rows`);
  return performance.now() - started;
}
