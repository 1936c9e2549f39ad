import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../measure.ts';
import type { BenchRow } from '../spine.ts';
import { startResponder } from '../start-responder.ts';
import { runBuilt } from './run-built.ts';
import { threadFiles } from './thread-files.ts';

const ROUNDS = 5;

/** Ten columns: what `validate` reads. */
const TEN = [
  ...Array.from(
    { length: 4 },
    (_, at) => `  - { name: s${at}, column_type: sampler, sampler_type: uniform, params: { low: 0, high: 1 } }`,
  ),
  ...Array.from({ length: 3 }, (_, at) => `  - { name: e${at}, column_type: expression, expr: '{{ s${at} }}' }`),
  ...Array.from(
    { length: 3 },
    (_, at) => `  - { name: t${at}, column_type: llm-text, model_alias: m, prompt: 'Of {{ e${at} }}' }`,
  ),
];

const TWO = [
  `  - { name: topic, column_type: sampler, sampler_type: category, params: { values: [tides, bees] } }`,
  `  - { name: text, column_type: llm-text, model_alias: m, prompt: 'Tell about {{ topic }}.' }`,
];

const MODELS = `model_configs:
  - { alias: m, model: canned, provider: canned, skip_health_check: true }
`;

/** How long commands take from their start: wall time, first output, CPU; and what each thread loads. */
export async function start(): Promise<readonly BenchRow[]> {
  await using responder = await startResponder();
  const home = mkdtempSync(join(tmpdir(), 'bench-start-'));
  try {
    writeFileSync(
      join(home, 'model_providers.yaml'),
      `providers:\n  - { name: canned, endpoint: '${responder.endpoint}', provider_type: openai }\n`,
    );
    writeFileSync(join(home, 'ten.yaml'), `${MODELS}columns:\n${TEN.join('\n')}\n`);
    writeFileSync(join(home, 'two.yaml'), `${MODELS}columns:\n${TWO.join('\n')}\n`);
    const environment = { DATA_DESIGNER_HOME: home, NODE_COMPILE_CACHE: join(home, 'compiled') };
    const two = join(home, 'two.yaml');
    const create = ['create', two, '-n', '5', '-o', join(home, 'out')];
    const commands: Readonly<Record<string, readonly string[]>> = {
      '--help': ['--help'],
      'validate, 10 columns': ['validate', join(home, 'ten.yaml')],
      'preview -n 2': ['preview', two, '-n', '2'],
      'create -n 5': create,
      'create -n 5 --report': [...create, '--report'],
    };
    const rows: BenchRow[] = [];
    for (const [what, args] of Object.entries(commands)) {
      await runBuilt(args, { environment });
      const runs = [];
      for (let round = 0; round < ROUNDS; round++) runs.push(await runBuilt(args, { environment }));
      const figures = {
        'ms wall': median(runs.map(({ wallMs }) => wallMs)),
        'ms to first output': median(runs.map(({ firstOutputMs }) => firstOutputMs)),
        'ms CPU': median(runs.map(({ cpuMs }) => cpuMs)),
      };
      rows.push({ what, figures });
      for (const { thread, files, bytes, heapMb, cpuMs } of await threadFiles(args, environment)) {
        rows.push({
          what: `  ${thread}`,
          figures: { files: files.length, kB: bytes / 1000, 'MB heap': heapMb, 'ms CPU': cpuMs },
        });
      }
    }
    return rows;
  } finally {
    rmSync(home, { recursive: true });
  }
}
