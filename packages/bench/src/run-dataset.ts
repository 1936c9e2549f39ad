import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';

/** A dataset of LLM text columns over one sampler, each reading the one before. */
function declaration(columns: number, inFlight: number): unknown {
  const texts = Array.from({ length: columns }, (_, index) => ({
    name: `text_${index}`,
    column_type: 'llm-text',
    model_alias: 'canned',
    prompt: index === 0 ? 'Say something about {{ topic }}.' : `Say more than this: {{ text_${index - 1} }}`,
  }));
  const topic = {
    name: 'topic',
    column_type: 'sampler',
    sampler_type: 'category',
    params: { values: ['tides', 'salt'] },
  };
  return {
    model_configs: [
      {
        alias: 'canned',
        model: 'canned',
        provider: 'canned',
        inference_parameters: { max_parallel_requests: inFlight },
      },
    ],
    columns: [topic, ...texts],
  };
}

/** Makes a dataset of `rows` rows by `columns` LLM text columns against an endpoint, in a folder that is removed again. */
export async function runDataset(
  endpoint: string,
  { rows, columns, inFlight }: { rows: number; columns: number; inFlight: number },
): Promise<void> {
  const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
  const provider = {
    name: 'canned',
    endpoint,
    providerType: 'openai',
    apiKey: null,
    extraBody: null,
    extraHeaders: null,
  } as const;
  const designer = new DataDesigner({ artifactPath, providers: { models: [provider], tools: [] } });
  try {
    const { count } = await designer.create(
      { document: declaration(columns, inFlight), source: 'bench' },
      { numRecords: rows },
    );
    if (count !== rows) throw new Error(`${count} of ${rows} rows`);
  } finally {
    rmSync(artifactPath, { recursive: true });
  }
}
