import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { DataDesigner } from 'data-designer';
import { demoToolsProgram, startSimulator } from '@data-designer/simulator';
import { TRAINING_FORMATS } from '@data-designer/training/options';

const SCRIPT = join(import.meta.dirname, 'training.py');
const COMMAND = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
const ROWS = 40;

type Fields = Readonly<Record<string, unknown>>;

/** A message as all formats are compared: calls are pairs of a name and arguments. */
interface Said {
  readonly role: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: unknown, args: unknown])[];
}

/** An example of an export: its parts by name. */
type Example = Readonly<Record<string, unknown>>;

interface Case {
  readonly format: string;
  readonly name: string;
  readonly flags: readonly string[];
  readonly expect: (row: Fields) => Example;
}

const TOPICS = ['tea 茶', 'salt 🧂 & "pepper"', 'ёлка\nand a second line', 'a <tag> \\ and a tab\t'];
const model_alias = 'writer';
const ASKED = { model_alias, with_trace: 'all_messages' };
/** A text that is longer than the buffers on the way. */
const LONG = `Answer from the tools. ${'All of these words are of no use. '.repeat(600)}`;
const COLUMNS = [
  { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: TOPICS } },
  { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
  { name: 'question', column_type: 'expression', expr: 'What of {{ topic }}, {{ id }}?' },
  {
    ...ASKED,
    name: 'tooled',
    column_type: 'llm-text',
    tool_alias: 'demo',
    system_prompt: LONG,
    prompt: 'Use the tools: {{ question }}',
  },
  { ...ASKED, name: 'plain', column_type: 'llm-text', prompt: '{{ question }}' },
  {
    name: 'chat',
    column_type: 'conversation',
    turns: { min: 2, max: 4 },
    user: { model_alias: 'plain', system_prompt: 'You ask about {{ topic }} {{ id }}.' },
    assistant: { model_alias, tool_alias: 'demo', system_prompt: 'Be brief about {{ topic }}.' },
    with_trace: true,
  },
  { ...ASKED, name: 'draft', column_type: 'llm-text', prompt: 'In one line: {{ question }}' },
  { name: 'score', column_type: 'expression', expr: '{{ draft | length }}', dtype: 'int' },
];

const config = {
  data_designer: {
    model_configs: [
      { alias: model_alias, model: 'sim-reasoning', provider: 'simulator' },
      { alias: 'plain', model: 'sim-small', provider: 'simulator' },
    ],
    tool_configs: [{ tool_alias: 'demo', providers: ['demo'] }],
    columns: COLUMNS,
    attempts: [{ name: 'tries', columns: ['draft', 'score'], keep: { pair: 'score' }, max: 3 }],
  },
};

const CHATS = ['trl-sft', 'sharegpt', 'openai-ft', 'smoltalk2', 'atif'] as const;
const PAIRS = ['trl-preference', 'openai-preference'] as const;
const TASKS = ['nemo-gym', 'verifiers'] as const;
const WITHOUT_REASONING: readonly string[] = ['openai-ft', 'openai-preference'];
const TRACES: Readonly<Record<string, string>> = { tooled: 'tooled__trace', plain: 'plain__trace', chat: 'chat' };

const CASES: readonly Case[] = [
  ...CHATS.flatMap((format) =>
    Object.entries(TRACES).map(([column, trace]): Case => ({
      format,
      name: `conversations of ${column}`,
      flags: ['--column', column],
      expect: (row) => ({ messages: saidIn(row[trace]) }),
    })),
  ),
  ...CHATS.map((format): Case => ({
    format,
    name: 'mapped columns',
    flags: ['--map', 'prompt=question,completion=plain'],
    expect: ({ question, plain }) => ({ messages: [said('user', question), said('assistant', plain)] }),
  })),
  ...PAIRS.map((format): Case => ({ format, name: 'pairs of attempts', flags: [], expect: pairOf })),
  ...PAIRS.map((format): Case => ({
    format,
    name: 'mapped columns',
    flags: ['--map', 'prompt=question,chosen=draft,rejected=plain'],
    expect: ({ question, draft, plain }) => ({
      prompt: [said('user', question)],
      chosen: [said('assistant', draft)],
      rejected: [said('assistant', plain)],
    }),
  })),
  ...TASKS.map((format): Case => ({
    format,
    name: 'conversations of tooled',
    flags: ['--column', 'tooled'],
    expect: ({ tooled__trace: trace }) => {
      const messages = saidIn(trace);
      const first = messages.findIndex(({ role }) => role === 'assistant');
      return { prompt: messages.slice(0, first), answer: messages.at(-1)?.text };
    },
  })),
  ...TASKS.map((format): Case => ({
    format,
    name: 'mapped columns',
    flags: ['--map', 'prompt=question,answer=plain,info.topic=topic'],
    expect: ({ question, plain }) => ({ prompt: [said('user', question)], answer: plain }),
  })),
];

/** Exports that their readers do not open, or open as something else, as a line for each. */
export async function askReaders(python: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'training-'));
  await using simulator = await startSimulator();
  const providers = {
    models: [{ name: 'simulator', endpoint: simulator.url, providerType: 'openai' as const, apiKey: 'none' }],
    tools: [{ name: 'demo', command: process.execPath, args: toolsArgs() }],
  };
  const mistakes: string[] = [];
  try {
    await using designer = new DataDesigner({ artifactPath: folder, providers });
    const results = await designer.create(
      { document: config, source: 'training' },
      { numRecords: ROWS, datasetName: 'made' },
    );
    const rows: readonly Fields[] = await Array.fromAsync(results.records());
    process.stdout.write(`${summaryOf(rows)}\n`);
    const files = { python, made: join(folder, 'made'), file: join(folder, 'export.jsonl') };
    for (const one of CASES) {
      const { reader, mistake } = await ask(one, { ...files, rows });
      process.stdout.write(
        `${mistake === undefined ? 'equal' : 'DIFFERENT'}  ${one.format}, ${one.name} (${reader})${mistake === undefined ? '' : `: ${mistake}`}\n`,
      );
      if (mistake !== undefined) mistakes.push(`${one.format}, ${one.name}: ${mistake}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return mistakes;
}

function toolsArgs(): string[] {
  const program = fileURLToPath(demoToolsProgram);
  return program.endsWith('.ts') ? ['--conditions=@data-designer/source', program] : [program];
}

/** What the dataset has of the parts that formats differ in. */
function summaryOf(rows: readonly Fields[]): string {
  const messages = rows.flatMap((row) => Object.values(TRACES).flatMap((trace) => saidIn(row[trace])));
  const count = (is: (message: Said) => boolean): number => messages.filter(is).length;
  return (
    `${rows.length} rows with ${messages.length} messages: ${count(({ reasoning }) => reasoning !== '')} with reasoning, ` +
    `${count(({ calls }) => calls.length === 1)} with one call, ${count(({ calls }) => calls.length > 1)} with several`
  );
}

interface Files {
  readonly python: string;
  readonly made: string;
  readonly file: string;
  readonly rows: readonly Fields[];
}

async function ask(
  { format, flags, expect }: Case,
  { python, made, file, rows }: Files,
): Promise<{ readonly reader: string; readonly mistake: string | undefined }> {
  if (!TRAINING_FORMATS.some((name) => name === format)) return { reader: 'none', mistake: 'there is no such format' };
  const isPlain = WITHOUT_REASONING.includes(format);
  const args = ['export', made, '-f', format, '-o', file, ...flags, ...(isPlain ? ['--no-reasoning'] : [])];
  const exported = await run(process.execPath, ['--conditions=@data-designer/source', COMMAND, ...args]);
  if (exported.code !== 0) return { reader: 'export', mistake: exported.said.slice(-500) };
  const { said: answer } = await run(python, [SCRIPT], JSON.stringify({ format, file }));
  const line = /^RESULT (.*)$/m.exec(answer)?.[1];
  if (line === undefined) return { reader: 'python', mistake: answer.slice(-500) };
  const found = JSON.parse(line, rounded) as
    | { readonly failure: string }
    | { readonly reader: string; readonly examples: readonly Example[] };
  if ('failure' in found) return { reader: 'python', mistake: found.failure };
  const expected = rows.map((row) => (isPlain ? plainly(expect(row)) : expect(row)));
  return { reader: found.reader, mistake: mistakeIn(expected, found.examples) };
}

/** The first part of an example that its reader has otherwise. */
function mistakeIn(expected: readonly Example[], found: readonly Example[]): string | undefined {
  if (expected.length !== found.length) return `${found.length} examples instead of ${expected.length}`;
  for (const [row, example] of expected.entries()) {
    for (const [part, value] of Object.entries(example)) {
      const other = found[row]?.[part];
      if (isDeepStrictEqual(value, other)) continue;
      const [ours, theirs] = firstUnlike(value, other);
      return `row ${row}, ${part}: ${shown(ours)} is ${shown(theirs)}`;
    }
  }
  return undefined;
}

function firstUnlike(value: unknown, other: unknown): readonly [unknown, unknown] {
  if (!Array.isArray(value) || !Array.isArray(other)) return [value, other];
  const at = value.findIndex((one, index) => !isDeepStrictEqual(one, other[index]));
  return at === -1 ? [`${value.length} messages`, `${other.length} messages`] : [value[at], other[at]];
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 300);
}

function said(role: string, text: unknown): Said {
  return { role, text: String(text), reasoning: '', calls: [] };
}

/** The messages of a trace or a conversation, as they are stored. */
function saidIn(trace: unknown): readonly Said[] {
  return (trace as readonly StoredMessage[]).map(
    ({ role, content, reasoning_content: reasoning, tool_calls: calls }) => ({
      role,
      text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
      reasoning: reasoning ?? '',
      calls: (calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments, rounded) as unknown]),
    }),
  );
}

/** The library datasets reads JSON with a parser whose last digit may be wrong: 1.39 is 1.3900000000000001. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(15)) : value;
}

interface StoredMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[] | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[] | null;
}

function pairOf(row: Fields): Example {
  const [chosen, rejected] = ['chosen', 'rejected'].map((side) => {
    const attempt = row[`tries__${side}`] as Fields;
    return saidIn(attempt['draft__trace']);
  });
  return { prompt: chosen?.slice(0, -1), chosen: chosen?.slice(-1), rejected: rejected?.slice(-1) };
}

function plainly(example: Example): Example {
  const parts = Object.entries(example).map(([part, value]) => [
    part,
    Array.isArray(value) ? (value as readonly Said[]).map((message) => ({ ...message, reasoning: '' })) : value,
  ]);
  return Object.fromEntries(parts) as Example;
}

function run(
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly said: string }> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_DATASETS_CACHE: mkdtempSync(join(tmpdir(), 'datasets-')) };
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, maxBuffer: 256 * 1024 * 1024 }, (failure, stdout, stderr) => {
      rmSync(env.HF_DATASETS_CACHE, { recursive: true });
      resolve({ code: failure ? 1 : 0, said: stdout.includes('RESULT ') ? stdout : stdout + stderr });
    });
    child.stdin?.end(input);
  });
}
