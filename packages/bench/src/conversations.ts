import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measure, median } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const TURNS = 6;
/** Characters of an answer of the responder. */
const ANSWER = 223;
const PAIRS = 5;

/** What a process of its own makes. */
interface Work {
  readonly kind: 'chats' | 'cells';
  readonly rows: number;
  readonly inFlight: number;
  readonly latencyMs: number;
}

/** CPU in us per request, wall time in s, and the largest and the last memory. */
interface Taken {
  readonly cpuUs: number;
  readonly wallS: number;
  readonly peakRssMb: number;
  readonly endRssMb: number;
}

const model = (inFlight: number): object => ({
  alias: 'bench',
  model: 'bench',
  provider: 'bench',
  inference_parameters: { max_parallel_requests: inFlight },
  structured_output: false,
});

const NUMBER = {
  name: 'number',
  column_type: 'sampler',
  sampler_type: 'category',
  params: { values: Array.from({ length: 1000 }, (_, n) => n) },
};

const CHAT = {
  name: 'chat',
  column_type: 'conversation',
  turns: TURNS,
  user: { model_alias: 'bench', system_prompt: 'You ask about the tides, number {{ number }}.' },
  assistant: { model_alias: 'bench', system_prompt: 'You know the tides.' },
};

/** One cell for each request of a conversation, each behind the one before, with a prompt as long as its messages. */
const CELLS = Array.from({ length: 2 * TURNS }, (_, at) => ({
  name: `text_${at}`,
  column_type: 'llm-text',
  model_alias: 'bench',
  prompt: `${'The tide follows the moon. '.repeat(((at + 1) * ANSWER) / 27)}{{ number }}${at === 0 ? '' : `{{ text_${at - 1}[:1] }}`}`,
}));

/** A conversation against plain cells with prompts of the same bytes: CPU per request, and memory with many in flight. */
export async function conversations(): Promise<readonly BenchRow[]> {
  const cpu = { rows: 400, inFlight: 64, latencyMs: 0 };
  const memory = { rows: 2000, inFlight: 2000, latencyMs: 400 };
  const pairs = Array.from({ length: PAIRS }, () => [
    taken({ kind: 'chats', ...cpu }),
    taken({ kind: 'cells', ...cpu }),
  ]);
  const [chats, cells] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]?.cpuUs ?? NaN)));
  const ratio = median(pairs.map(([chat, cell]) => (chat?.cpuUs ?? NaN) / (cell?.cpuUs ?? NaN)));
  const [many, plain] = (['chats', 'cells'] as const).map((kind) => taken({ kind, ...memory }));
  return [
    {
      what: `CPU per request, ${TURNS} turns, 64 in flight`,
      figures: { 'us chat': chats ?? NaN, 'us cell': cells ?? NaN, times: ratio },
    },
    {
      what: `wall time and memory, 2,000 in flight`,
      figures: {
        's chats': many?.wallS ?? NaN,
        's cells': plain?.wallS ?? NaN,
        'MB chats': many?.peakRssMb ?? NaN,
        'MB cells': plain?.peakRssMb ?? NaN,
        times: (many?.peakRssMb ?? NaN) / (plain?.peakRssMb ?? NaN),
        'MB chats at the end': many?.endRssMb ?? NaN,
        'MB cells at the end': plain?.endRssMb ?? NaN,
      },
    },
  ];
}

/** Runs a piece of work in a process of its own. */
function taken(work: Work): Taken {
  const args = ['--conditions=@data-designer/source', fileURLToPath(import.meta.url), JSON.stringify(work)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Taken;
}

async function make({ kind, rows, inFlight, latencyMs }: Work): Promise<Taken> {
  await using responder = await startResponder({ latencyMs });
  await using bench = await openBench(responder.endpoint);
  const document = { model_configs: [model(inFlight)], columns: [NUMBER, ...(kind === 'chats' ? [CHAT] : CELLS)] };
  // Code is warm from the second time on.
  await bench.make(document, Math.ceil(rows / 10));
  const { cpuUs, wallMs, peakRssMb } = await measure(() => bench.make(document, rows));
  const endRssMb = process.memoryUsage.rss() / 1024 / 1024;
  return { cpuUs: cpuUs / (rows * 2 * TURNS), wallS: wallMs / 1000, peakRssMb, endRssMb };
}

const [, program, given] = process.argv;
if (program === fileURLToPath(import.meta.url) && given !== undefined) {
  process.stdout.write(JSON.stringify(await make(JSON.parse(given) as Work)));
}
