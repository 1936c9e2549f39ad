import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';

/** Text that takes over a page which treats it as markup, reorders it, or hides parts of it. */
const HOSTILE = [
  '<script>document.title = "taken over"</script>',
  '"><img src=x onerror="document.title = 1">',
  '\u202Egnp.exe\u2066 \u0000\u0007\u001B[31m',
  '[[javascript:alert(1)]](javascript:alert(1)) {{ 7 * 7 }}',
] as const;

const PRICING = { input: 0.4, output: 1.6 };
const MODELS = [
  { alias: 'writer', model: 'sim-small', provider: 'simulator', pricing: PRICING },
  // Its first call of a tool has arguments that the tool refuses.
  { alias: 'caller', model: 'sim-bad-arguments-once', provider: 'simulator', pricing: PRICING },
  // Its first request fails, and it has no price.
  { alias: 'grader', model: 'sim-503-once', provider: 'simulator' },
  {
    alias: 'painter',
    model: 'sim-image',
    provider: 'simulator',
    pricing: PRICING,
    inference_parameters: { generation_type: 'image' },
  },
];

/** A declaration with a column of every kind that the pages draw. */
const DECLARATION = {
  model_configs: MODELS,
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], allow_tools: ['get_fact'] }],
  columns: [
    {
      name: 'topic',
      column_type: 'sampler',
      sampler_type: 'category',
      params: { values: ['salt', 'bees', 'moon'], weights: [5, 3, 2] },
    },
    { name: 'size', column_type: 'sampler', sampler_type: 'gaussian', params: { mean: 5, stddev: 2 } },
    { name: 'label', column_type: 'expression', expr: '{{ topic }} {{ size }}' },
    {
      name: 'seen',
      column_type: 'sampler',
      sampler_type: 'datetime',
      params: { start: '2026-01-01', end: '2026-12-31', unit: 'D' },
      convert_to: '%d.%m.%Y',
    },
    {
      name: 'answer',
      column_type: 'llm-text',
      model_alias: 'caller',
      tool_alias: 'facts',
      with_trace: 'all_messages',
      extract_reasoning_content: true,
      prompt: 'Tell me something about {{ topic }}, with the tool get_fact.',
    },
    {
      name: 'code',
      column_type: 'llm-code',
      model_alias: 'writer',
      code_lang: 'python',
      prompt: 'A function about {{ topic }}',
    },
    {
      name: 'lint',
      column_type: 'validation',
      target_columns: ['code'],
      validator_type: 'code',
      validator_params: { code_lang: 'python' },
    },
    {
      name: 'grade',
      column_type: 'llm-judge',
      model_alias: 'grader',
      prompt: 'Grade {{ answer }}',
      scores: [{ name: 'Clarity', description: 'How clear?', options: { 1: 'unclear', 2: 'clear' } }],
    },
    { name: 'picture', column_type: 'image', model_alias: 'painter', prompt: 'A picture of {{ topic }}' },
  ],
};

/** Makes a dataset with a column of every kind, or with those alone that no model fills. Returns its folder. */
export async function shownDataset(
  into: string,
  name: string,
  { seed = 1, rows = 40, hasModels = true } = {},
): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: into, runConfig: { seed } });
  const options = { numRecords: rows, datasetName: name } as const;
  const document = hasModels ? DECLARATION : { columns: DECLARATION.columns.slice(0, 4) };
  const { path } = await designer.create({ document, source: 'the test' }, options);
  return path;
}

/** A declaration whose two columns use an environment one after the other. */
const WORLD = {
  model_configs: MODELS.slice(0, 1),
  environments: [
    {
      name: 'shelf',
      kind: 'sqlite',
      schema: 'CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT); CREATE TABLE draw (drawn INTEGER)',
      rows: { item: [{ id: 1, label: 'jar' }] },
      tools: [
        {
          name: 'add_item',
          description: 'Adds an item.',
          // What it draws depends on the number of the call.
          sql: ['INSERT INTO draw VALUES (random())', "INSERT INTO item (label) VALUES ('box') RETURNING *"],
        },
      ],
    },
  ],
  tool_configs: [{ tool_alias: 'shelf-tools', providers: ['shelf'] }],
  columns: ['first', 'second'].map((name, at) => ({
    name,
    column_type: 'llm-text',
    model_alias: 'writer',
    tool_alias: 'shelf-tools',
    with_trace: 'all_messages',
    prompt: `Call the tool add_item. ${at === 0 ? '' : '{{ first__state }}'}`,
  })),
};

/** Makes a dataset whose rows have the states of an environment. Returns its folder. */
export async function worldDataset(into: string): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: into, runConfig: { seed: 1 } });
  const options = { numRecords: 1, datasetName: 'world' } as const;
  const { path } = await designer.create({ document: WORLD, source: 'the test' }, options);
  return path;
}

/** Blocks of attempts whose rows keep all of them, or a pair, and a chat of two models. */
const TRIED = {
  model_configs: MODELS.slice(0, 1),
  columns: [
    { name: 'topic', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    { name: 'draft', column_type: 'llm-text', model_alias: 'writer', prompt: 'Write about {{ topic }}.' },
    { name: 'is_even', column_type: 'expression', expr: '{{ draft | length % 2 == 0 }}', dtype: 'bool' },
    {
      name: 'checked',
      column_type: 'validation',
      validator_type: 'execution',
      target_columns: ['draft'],
      validator_params: { language: 'javascript' },
    },
    {
      name: 'grade',
      column_type: 'llm-judge',
      model_alias: 'writer',
      prompt: 'Grade {{ draft }}',
      scores: [{ name: 'Clarity', description: 'How clear?', options: { 1: 'unclear', 2: 'clear' } }],
    },
    { name: 'reply', column_type: 'llm-text', model_alias: 'writer', prompt: 'Reply to {{ topic }}.' },
    {
      name: 'chat',
      column_type: 'conversation',
      turns: { min: 3, max: 3 },
      user: { model_alias: 'writer', system_prompt: 'Your {{ topic }} is broken.' },
      assistant: { model_alias: 'writer', system_prompt: 'You work at a help desk.' },
    },
  ],
  attempts: [
    { name: 'solve', columns: ['draft', 'is_even', 'checked', 'grade'], keep: 'all', max: 3 },
    { name: 'choose', columns: ['reply'], keep: { pair: '{{ reply | length }}' }, max: 4 },
  ],
};

/** Makes a dataset whose rows have several attempts, and a chat. Returns its folder. */
export async function triedDataset(into: string): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: into, runConfig: { seed: 1 } });
  const options = { numRecords: 2, datasetName: 'tried' } as const;
  const { path } = await designer.create({ document: TRIED, source: 'the test' }, options);
  return path;
}

/** Makes a dataset of cells that no page may act on, one of them of 10 MB. Returns its folder. */
export async function hostileDataset(into: string): Promise<string> {
  const rows = [...HOSTILE, `${HOSTILE[0]} `.repeat(200_000)].map((text, at) => ({
    at,
    text,
    list: [text.slice(0, 99)],
  }));
  const file = join(into, 'hostile.jsonl');
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await using designer = new DataDesigner({ artifactPath: into });
  const document = {
    seed_config: { source: { seed_type: 'local', path: file } },
    columns: [{ name: '<b>"name', column_type: 'expression', expr: '{{ at }}' }],
  };
  const { path } = await designer.create(
    { document, source: 'the test' },
    { numRecords: rows.length, datasetName: 'hostile' },
  );
  return path;
}

/** Programs with what their tests find: one that passes, one that is wrong, one that prints, and one that raises an error. */
const PROGRAMS = [
  { program: 'function sum(a, b) { return a + b; }', tests: [{ args: [1, 2], returns: 3 }] },
  {
    program: 'function sum(a, b) { console.log("<b>sum</b>"); return a + 1; }',
    tests: [
      { args: [1, 1], returns: 2 },
      { args: [1, 2], returns: 3 },
    ],
  },
  { program: 'throw new Error("boom")', tests: ['1'] },
  { program: 'console.log("only\\nprints")', tests: ['1'] },
];

/** Makes a dataset of programs that are tested, and of queries that are not. Returns its folder. */
export async function programDataset(into: string): Promise<string> {
  const file = join(into, 'programs.jsonl');
  const lines = PROGRAMS.map(({ program, tests }) => ({
    program,
    tests: JSON.stringify(tests),
    query: 'SELECT 1 AS one',
  }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await using designer = new DataDesigner({ artifactPath: into });
  const check = { column_type: 'validation', validator_type: 'execution' };
  const javascript = { language: 'javascript', call: 'sum' };
  const document = {
    seed_config: { source: { seed_type: 'local', path: file }, sampling_strategy: 'ordered' },
    columns: [
      {
        ...check,
        name: 'tested',
        target_columns: ['program'],
        validator_params: { ...javascript, tests: '{{ tests }}' },
      },
      { ...check, name: 'ran', target_columns: ['program'], validator_params: { language: 'javascript' } },
      {
        ...check,
        name: 'both',
        target_columns: ['query', 'tests'],
        validator_params: { language: 'sql', engine: 'sqlite' },
      },
    ],
  };
  const options = { numRecords: PROGRAMS.length, datasetName: 'programs' } as const;
  const { path } = await designer.create({ document, source: 'the test' }, options);
  return path;
}

const HERTZ = 8000;

/** A fifth of a second of a tone, as a WAV file. */
function tone(): Buffer {
  const samples = HERTZ / 5;
  const wav = Buffer.alloc(44 + 2 * samples);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  // PCM, mono, 16 bits.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(HERTZ, 24);
  wav.writeUInt32LE(2 * HERTZ, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * samples, 40);
  for (let at = 0; at < samples; at++) wav.writeInt16LE(Math.round(8000 * Math.sin(at / 3)), 44 + 2 * at);
  return wav;
}

/** A picture of one red pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Makes a dataset whose answers have a schema of their own in each row, and returns its folder. */
export async function rowSchemasDataset(into: string): Promise<string> {
  const file = join(into, 'schemas.jsonl');
  const city = { type: 'object', properties: { city: { enum: ['<b>Rome</b>'] }, people: { enum: [2.5] } } };
  const required = ['city', 'people'];
  const schemas = [
    { ...city, required },
    { type: 'array', items: { enum: ['red'] }, minItems: 2, maxItems: 2 },
    { enum: ['{}'] },
  ];
  writeFileSync(file, schemas.map((schema) => `${JSON.stringify({ schema: JSON.stringify(schema) })}\n`).join(''));
  await using designer = new DataDesigner({ artifactPath: into });
  const document = {
    model_configs: MODELS.slice(0, 1),
    seed_config: { source: { seed_type: 'local', path: file } },
    columns: [
      {
        name: 'card',
        column_type: 'llm-structured',
        model_alias: 'writer',
        prompt: 'Fill it in.',
        output_format: '{{ schema }}',
      },
    ],
  };
  const { path } = await designer.create({ document, source: 'the test' }, { numRecords: 3, datasetName: 'schemas' });
  return path;
}

/** Makes a dataset whose cells name pictures by their paths. Returns its folder. */
export async function scannedDataset(into: string, paths: readonly string[]): Promise<string> {
  const file = join(into, 'scans.jsonl');
  // The last row tells the type of the bytes.
  const scans = [...paths.map((path) => ({ bytes: null, path })), { bytes: PIXEL, path: 'last.png' }];
  writeFileSync(file, scans.map((scan) => `${JSON.stringify({ scan })}\n`).join(''));
  await using designer = new DataDesigner({ artifactPath: into });
  const document = {
    seed_config: { source: { seed_type: 'local', path: file }, sampling_strategy: 'ordered' },
    columns: [{ name: 'copy', column_type: 'expression', expr: 'x' }],
  };
  const options = { numRecords: scans.length, datasetName: 'scanned' } as const;
  const { path } = await designer.create({ document, source: 'the test' }, options);
  return path;
}

/**
 * Makes a dataset of one row with a sound that a model hears, and with pictures of its seed: one that a model sees, and files
 * in the form of Hugging Face that no model does. Returns its folder.
 */
export async function soundDataset(into: string): Promise<string> {
  const file = join(into, 'sounds.jsonl');
  const stored = { bytes: PIXEL, path: 'red.png' };
  const row = {
    sound: tone().toString('base64'),
    seen: PIXEL,
    stored,
    album: [stored, { bytes: tone().toString('base64'), path: 'tone.wav' }],
  };
  writeFileSync(file, `${JSON.stringify(row)}\n`);
  await using designer = new DataDesigner({ artifactPath: into });
  const document = {
    model_configs: MODELS.slice(0, 1),
    seed_config: { source: { seed_type: 'local', path: file } },
    columns: [
      {
        name: 'heard',
        column_type: 'llm-text',
        model_alias: 'writer',
        prompt: 'Describe the sound.',
        multi_modal_context: [
          { modality: 'audio', column_name: 'sound', data_type: 'base64', audio_format: 'wav' },
          { modality: 'image', column_name: 'seen' },
        ],
      },
    ],
  };
  const { path } = await designer.create({ document, source: 'the test' }, { numRecords: 1, datasetName: 'sounds' });
  return path;
}

/** A word that no line of a phone has room for. */
const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

/** The schema of a book of several levels. */
const BOOK = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    author: {
      type: 'object',
      properties: { born: { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] } },
      required: ['born'],
    },
  },
  required: ['title', 'author'],
};

/**
 * Makes a dataset of values that are hard to draw: very small and very large numbers, many digits, long words and names, and
 * data of several levels. Its costs are tiny, and one of its columns fails. Returns its folder.
 */
export async function oddDataset(into: string, name: string, rows: number): Promise<string> {
  const file = join(into, `${name}.jsonl`);
  const lines = Array.from({ length: rows }, (_, at) => ({
    tiny: ((at + 5) * 1e-7) / 3,
    huge: 1.23456789e15 * (at + 1),
    id: 9007199254740000 + at,
    share: (at + 1) / 7,
    debt: -1234567.891 * at,
    constant: 0.1 + 0.2,
    word: `${LONG_WORD}${at}`,
    nested: { person: { name: { last: LONG_WORD }, address: { number: at / 7 } } },
    a_column_with_a_name_that_is_longer_than_most_of_the_columns: at,
  }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await using designer = new DataDesigner({
    artifactPath: into,
    runConfig: { seed: 1, maxConversationRestarts: 0, maxConversationCorrectionSteps: 0 },
  });
  const pricing = { input: 4e-7, output: 1.6e-6 };
  const alias = 'writer_with_a_name_that_is_longer_than_most_aliases';
  const document = {
    model_configs: [
      { ...MODELS[0], alias, pricing },
      { alias: 'wrong', model: 'sim-wrong-schema', provider: 'simulator' },
    ],
    seed_config: { source: { seed_type: 'local', path: file }, sampling_strategy: 'ordered' },
    columns: [
      {
        name: 'answer',
        column_type: 'llm-structured',
        model_alias: alias,
        with_trace: 'all_messages',
        output_format: BOOK,
        prompt: 'A book about {{ word }}',
      },
      {
        name: 'card',
        column_type: 'llm-structured',
        model_alias: 'wrong',
        output_format: BOOK,
        prompt: 'A card about {{ word }}',
        on_failure: 'null',
      },
    ],
  };
  const options = { numRecords: rows, datasetName: name } as const;
  const { path } = await designer.create({ document, source: 'the test' }, options);
  return path;
}
