/** A config, further files and the command that meets the mistake in them. */
export interface Mistake {
  /** Files by name; `ORIGIN` stands for the address of a model server, `CLOSED` for one where none listens. */
  readonly files: Readonly<Record<string, string>>;
  /** The words of the command. */
  readonly args: readonly string[];
}

const MODELS = `model_configs:
  - { alias: writer, model: sim-small, provider: simulator }
`;
const TOPIC = `  - name: topic
    column_type: sampler
    sampler_type: category
    params: { values: [birds, ships] }
`;
const FACT = `  - name: fact
    column_type: llm-text
    model_alias: writer
    prompt: 'One fact about {{ topic }}.'
`;
const FACTS = `${MODELS}columns:
${TOPIC}${FACT}`;

const preview = (config: string, files: Readonly<Record<string, string>> = {}): Mistake => ({
  files: { 'facts.yaml': config, ...files },
  args: [
    'preview',
    'facts.yaml',
    '-n',
    '1',
    '--seed',
    '1',
    ...('providers.yaml' in files ? ['--providers', 'providers.yaml'] : []),
  ],
});

/** A preview with a model of an endpoint of one's own. */
const endpoint = (provider: string, model = 'small'): Mistake =>
  preview(FACTS.replace('sim-small, provider: simulator', `${model}, provider: mine`), {
    'providers.yaml': `providers:\n  - ${provider}\n`,
  });

const judge = (scores: string): string => `${FACTS}  - name: grade
    column_type: llm-judge
    model_alias: writer
    prompt: 'Judge {{ fact }}.'
    scores:
      - ${scores}
`;

/** The config with inference parameters of its model. */
const withParameters = (parameters: string): string =>
  FACTS.replace('provider: simulator }', `provider: simulator, inference_parameters: { ${parameters} } }`);

const toolConfig = (config: string): string =>
  `tool_configs:\n  - ${config}\n${FACTS.replace('    prompt:', '    tool_alias: search\n    prompt:')}`;

/** The typical mistakes of a first hour, by what is wrong. */
export const FIRST_HOUR: Readonly<Record<string, Mistake>> = {
  'a seed source without a type': preview(
    `seed_config:
  source: { path: products.csv }
${FACTS}`,
    { 'products.csv': 'product\ntea\n' },
  ),
  'a prompt with a colon and no quotes': preview(
    FACTS.replace("'One fact about {{ topic }}.'", 'Answer this: {{ topic }}'),
  ),
  'a prompt that begins with a template and has no quotes': preview(
    FACTS.replace("'One fact about {{ topic }}.'", '{{ topic }} is the topic.'),
  ),
  'options of a judge as a list of names': preview(
    judge('{ name: tone, description: The tone., options: [good, bad] }'),
  ),
  'a judge whose scores are a mapping': preview(
    judge('x').replace('scores:\n      - x', 'scores: { tone: { good: friendly } }'),
  ),
  'a provider in providers.yaml that is in the config': preview(
    `providers:\n  - { name: mine, endpoint: 'http://localhost:9000/v1' }\n${FACTS}`,
  ),
  'a tool provider without a type': preview(toolConfig('{ tool_alias: search, providers: [files] }'), {
    'providers.yaml': 'providers:\n  - { name: files, command: npx, args: [mcp-server-filesystem, notes] }\n',
  }),
  'an endpoint without http://': endpoint("{ name: mine, endpoint: 'localhost:9000/v1' }"),
  'an endpoint without /v1': endpoint('{ name: mine, endpoint: ORIGIN }'),
  'an endpoint that is down': endpoint("{ name: mine, endpoint: 'CLOSED/v1' }"),
  'a model that the endpoint does not have': endpoint("{ name: mine, endpoint: 'ORIGIN/v1' }", 'smal'),
  'a key that is not set': endpoint("{ name: mine, endpoint: 'ORIGIN/v1', api_key: '${MY_MODEL_KEY}' }"),
  'a key that the endpoint refuses': endpoint("{ name: mine, endpoint: 'ORIGIN/v1', api_key: sk-wrong }"),
  'a uniform sampler with min and max': preview(`columns:
  - { name: age, column_type: sampler, sampler_type: uniform, params: { min: 18, max: 80 } }
`),
  'a tool alias without a tool config': preview(FACTS.replace('    prompt:', '    tool_alias: search\n    prompt:')),
  'a tool that the server does not offer': preview(
    toolConfig('{ tool_alias: search, providers: [demo-tools], allow_tools: [get_facts, search_web] }'),
  ),
  'a tool server whose program is missing': preview(toolConfig('{ tool_alias: search, providers: [files] }'), {
    'providers.yaml': 'providers:\n  - { name: files, provider_type: stdio, command: mcp-server-of-notes }\n',
  }),
  'a config without the key columns': preview(`${MODELS}topic:
  column_type: sampler
  sampler_type: category
  params: { values: [birds, ships] }
fact:
  column_type: llm-text
  model_alias: writer
  prompt: 'One fact about {{ topic }}.'
`),
  'a config without the line columns': preview(FACTS.replace('columns:\n', '')),
  'columns at the top of the file': preview(TOPIC.replace(/^ {2}/gm, '') + FACT.replace(/^ {2}/gm, '')),
  'columns by name': preview(`${MODELS}columns:
  topic:
    column_type: sampler
    sampler_type: category
    params: { values: [birds, ships] }
  fact:
    column_type: llm-text
    model_alias: writer
    prompt: 'One fact about {{ topic }}.'
`),
  'a column without a type': preview(FACTS.replace('    column_type: llm-text\n', '')),
  'a misspelt column in a prompt': preview(FACTS.replace('{{ topic }}', '{{ topik }}')),
  'single braces': preview(FACTS.replace('{{ topic }}', '{topic}')),
  'a sampler whose values are beside its type': preview(
    FACTS.replace('params: { values: [birds, ships] }', 'values: [birds, ships]'),
  ),
  'an answer that never fits its schema': {
    ...endpoint("{ name: mine, endpoint: 'ORIGIN/v1' }"),
    files: {
      'facts.yaml': FACTS.replace('llm-text', 'llm-structured')
        .replace(
          '    prompt:',
          '    output_format: { type: object, properties: { n: { type: integer } }, required: [n] }\n    prompt:',
        )
        .replace('sim-small, provider: simulator', 'small, provider: mine'),
      'providers.yaml': "providers:\n  - { name: mine, endpoint: 'ORIGIN/v1' }\n",
    },
  },
  'a tab in YAML': preview(FACTS.replace('    column_type: llm-text', '\tcolumn_type: llm-text')),
};

/** A good config with one text in place of another. */
const changed = (from: string, to: string): Mistake => preview(FACTS.replace(from, to));

/** A good config with a further column. */
const further = (text: string): Mistake => preview(`${FACTS}  - ${text}\n`);

/** A good config, and a command with other words. */
const command = (...args: readonly string[]): Mistake => ({ files: { 'facts.yaml': FACTS }, args });

/** Mistakes of other kinds, by what is wrong. */
export const FURTHER: Readonly<Record<string, Mistake>> = {
  'a misspelt file name': command('preview', 'fact.yaml'),
  'a number of rows that is a word': command('preview', 'facts.yaml', '-n', 'ten'),
  'no rows': command('preview', 'facts.yaml', '-n', '0'),
  'a long flag that does not exist': command('preview', 'facts.yaml', '--num', '3'),
  'a flag of another command': command('preview', 'facts.yaml', '--resume', 'always'),
  'a command that does not exist': command('run', 'facts.yaml'),
  'no config': command('preview'),
  'a trailing comma in JSON': { files: { 'facts.json': '{ "columns": [], }' }, args: ['validate', 'facts.json'] },
  'a key that is written twice': changed(
    '    model_alias: writer\n',
    '    model_alias: writer\n    model_alias: writer\n',
  ),
  'an indent that is too deep': changed('    model_alias: writer\n', '      model_alias: writer\n'),
  'a prompt that is a list': changed("'One fact about {{ topic }}.'", "['One fact about {{ topic }}.']"),
  'a block that is not closed': changed('{{ topic }}', '{% if topic %}{{ topic }}'),
  'a field that the schema lacks': further(
    "{ name: quiz, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: { type: object, properties: { question: { type: string } }, required: [question] } }\n  - { name: q, column_type: expression, expr: '{{ quiz.questoin }}' }",
  ),
  'a score without a description': further(
    "{ name: grade, column_type: llm-judge, model_alias: writer, prompt: 'Judge {{ fact }}', scores: [{ name: tone, options: { good: friendly } }] }",
  ),
  'code without a language': further(
    "{ name: code, column_type: llm-code, model_alias: writer, prompt: 'On {{ topic }}' }",
  ),
  'a language in short': further(
    "{ name: code, column_type: llm-code, code_lang: py, model_alias: writer, prompt: 'On {{ topic }}' }",
  ),
  'an output format of names and types': further(
    "{ name: quiz, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: { question: string, answer: string } }",
  ),
  'an output format that is the name of a type': further(
    "{ name: quiz, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: string }",
  ),
  'values in one text': changed('[birds, ships]', "'birds, ships'"),
  'a date in another order': further(
    '{ name: day, column_type: sampler, sampler_type: datetime, params: { start: 31/12/2024, end: 2025-06-01 } }',
  ),
  'a seed file that is missing': preview(`seed_config:\n  source: { seed_type: local, path: product.csv }\n${FACTS}`, {
    'products.csv': 'product\ntea\n',
  }),
  'a seed path without a source': preview(`seed_config: { path: products.csv }\n${FACTS}`, {
    'products.csv': 'product\ntea\n',
  }),
  'a column of the seed that is declared too': preview(
    `seed_config:\n  source: { seed_type: local, path: products.csv }\n${FACTS}`,
    { 'products.csv': 'topic\ntea\n' },
  ),
  'models by name': changed(
    '  - { alias: writer, model: sim-small, provider: simulator }',
    '  writer: { model: sim-small, provider: simulator }',
  ),
  'a model without a provider': changed(', provider: simulator', ''),
  'a temperature beside the model': changed('provider: simulator', 'provider: simulator, temperature: 0.5'),
  'a limit of tokens that is a word': changed(
    'provider: simulator',
    'provider: simulator, inference_parameters: { max_tokens: many }',
  ),
  'a provider in capitals': changed('provider: simulator', 'provider: OpenAI'),
  'the name of a model in place of its alias': changed('model_alias: writer', 'model_alias: sim-small'),
  'the key model in place of model_alias': changed('model_alias: writer', 'model: writer'),
  'an expression that is Python': further('{ name: title, column_type: expression, expr: topic.upper() }'),
  'a trace that is a word': changed('    prompt:', '    with_trace: everything\n    prompt:'),
  'providers of tools as text': preview(toolConfig('{ tool_alias: search, providers: demo-tools }')),
  'a processor without a type': preview(`${FACTS}processors:\n  - { name: chats, template: { text: '{{ fact }}' } }\n`),
  'a type of processor that does not exist': preview(
    `${FACTS}processors:\n  - { name: less, processor_type: drop-columns, column_names: [topic] }\n`,
  ),
  'a dataset that is not there': command('show', 'artifacts/facts'),
  'a format that is not known': command('export', 'artifacts/facts', 'facts.xls'),
  'a dataset name with a slash': command('create', 'facts.yaml', '-n', '1', '-d', 'a/b'),
  'a file of providers that is missing': command('preview', 'facts.yaml', '--providers', 'provider.yaml'),
  'a folder and a file for export': command('export', 'artifacts/facts', 'facts.csv'),
  'no folder': command('show'),
  'members of an answer with their types': further(
    "{ name: quiz, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: { question: { type: string }, points: { type: int } } }",
  ),
  'a condition with braces': changed('    prompt:', "    skip: { when: '{{ topic }} == birds' }\n    prompt:"),
  'a condition with one equals sign': changed('    prompt:', '    skip: { when: \'topic = "birds"\' }\n    prompt:'),
  'weights that are not as many as values': changed('[birds, ships]', '[birds, ships], weights: [1]'),
  'a quote that is not closed': changed("{{ topic }}.'", '{{ topic }}.'),
  'a name with a space': further("{ name: my fact, column_type: expression, expr: '{{ topic }}' }"),
  'a column that reads itself': further("{ name: loop, column_type: expression, expr: '{{ loop }}!' }"),
  'two columns of one name': further("{ name: fact, column_type: expression, expr: '{{ topic }}' }"),
  'columns as text': changed(`columns:\n${TOPIC}${FACT}`, 'columns: topic, fact\n'),
  'a type in another spelling': changed('column_type: llm-text', 'column_type: llm_text'),
  'a type of another tool': changed('column_type: llm-text', 'column_type: llm'),
  'a sampler that is a choice': changed('sampler_type: category', 'sampler_type: choice'),
  'keys in the other spelling': changed('model_alias: writer', 'modelAlias: writer'),
  'a filter that does not exist': changed('{{ topic }}', '{{ topic | capitalise }}'),
  'a key as a value': preview(FACTS.replace('sim-small, provider: simulator', 'small, provider: openai')),
  'a subcategory without its category': further(
    '{ name: kind, column_type: sampler, sampler_type: subcategory, params: { category: topics, values: { birds: [owl], ships: [tug] } } }',
  ),
  'a mean beside the distribution': further(
    '{ name: size, column_type: sampler, sampler_type: gaussian, mean: 5, stddev: 1 }',
  ),
  'a seed in a web page': preview(`seed_config:\n  source: { seed_type: hf, path: squad }\n${FACTS}`),
  'a rate in percent': further('{ name: flag, column_type: sampler, sampler_type: bernoulli, params: { p: 50% } }'),
  'a limit that is no number': command('preview', 'facts.yaml', '-n', '1', '--max-cost', 'five'),
  'the rows of a config in create': changed(MODELS, `num_records: 10\n${MODELS}`),
  'a program without a config': {
    files: { 'facts.ts': 'const config = { columns: [] };\nconsole.log(config);\n' },
    args: ['validate', 'facts.ts'],
  },

  'a Hub dataset without its user': preview(`seed_config: { source: { seed_type: hf, path: squad } }\n${FACTS}`),
  'a Hub file without the user of its dataset': preview(
    `seed_config: { source: { seed_type: hf, path: datasets/squad/*.parquet } }\n${FACTS}`,
  ),
  'a temperature in percent': preview(withParameters('temperature: 10%')),
  'a limit of tokens in thousands': preview(withParameters('max_tokens: 2k')),
  'weights in percent': preview(FACTS.replace('[birds, ships] }', '[birds, ships], weights: [30%, 70%] }')),
  'weights that are words': preview(FACTS.replace('[birds, ships] }', '[birds, ships], weights: [low, high] }')),
  'values with their weights': preview(FACTS.replace('[birds, ships] }', '{ birds: 0.3, ships: 0.7 } }')),
  'a model without the dash of a list': preview(FACTS.replace('  - { alias', '  { alias')),
  'attempts without the dash of a list': preview(`${FACTS}attempts: { name: tries, columns: [fact], max: 2 }\n`),
  'a condition of a template that is not closed': preview(FACTS.replace('{{ topic }}.', '{% if topic %}x')),
  'options of a judge as a range': preview(judge('{ name: tone, description: d, options: 1-5 }')),
  'options of a judge in one text': preview(judge("{ name: tone, description: d, options: 'good, bad' }")),
  'a pattern without quotes': preview(`seed_config:\n  source: { seed_type: local, path: *.csv }\n${FACTS}`),
  'a text of several lines with a colon': preview(
    FACTS.replace("'One fact about {{ topic }}.'", '\n      One fact about {{ topic }}.\n      Style: short.'),
  ),
  'an output format with the types of Python': preview(
    FACTS.replace(
      'llm-text',
      'llm-structured\n    output_format: { type: object, properties: { year: { type: int } } }',
    ),
  ),
  'a tool alias in brackets': preview(FACTS.replace('    prompt:', '    tool_alias: [search]\n    prompt:')),
  'dropped columns at the top': preview(`${FACTS}drop_columns: [topic]\n`),
  'a condition of skip without when': preview(FACTS.replace('    prompt:', "    skip: topic == 'birds'\n    prompt:")),
  'a selection without where': preview(`${FACTS}select: topic == 'birds'\n`),
  'a condition of a selection in braces': preview(`${FACTS}select: { where: "{{ topic == 'birds' }}" }\n`),
  'a system prompt at the top': preview(`system_prompt: Be short.\n${FACTS}`),
  'a resume without its word': { files: { 'facts.yaml': FACTS }, args: ['create', 'facts.yaml', '--resume'] },
  'a config in place of a dataset': { files: { 'facts.yaml': FACTS }, args: ['show', 'facts.yaml'] },
  'tool providers under their own key': preview(FACTS, {
    'providers.yaml': 'mcp_providers:\n  - { name: search, provider_type: stdio, command: search }\n',
  }),
};
