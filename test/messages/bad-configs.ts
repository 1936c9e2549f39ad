/** The columns of most configs: two samplers and a column of a model. */
const TOPIC = 'name: topic, column_type: sampler, sampler_type: category';
const LLM = 'name: text, column_type: llm-text, model_alias: writer';
const MODELS = 'model_configs: [{ alias: writer, model: sim-small, provider: simulator }]';

/** A config with one column, after a valid sampler column. */
function column(text: string): string {
  return `${MODELS}\ncolumns:\n- { ${TOPIC}, params: { values: [birds, ships] } }\n- { ${text} }`;
}

/** A config with a sampler column. */
function sampler(type: string, params: string, more = ''): string {
  return `columns:\n- { name: x, column_type: sampler, sampler_type: ${type}, params: { ${params} }${more} }`;
}

/** A config with a valid column and a further part. */
function part(text: string): string {
  return `columns:\n- { ${TOPIC}, params: { values: [birds, ships] } }\n${text}`;
}

/** A config with two sampler columns. */
function pair(first: string, second: string, more = ''): string {
  return `columns:\n- { name: a, column_type: sampler, ${first} }\n- { name: b, column_type: sampler, ${second} }\n${more}`;
}

const CATEGORY = 'sampler_type: category, params: { values: [x, y] }';
const NUMBER = 'sampler_type: uniform, params: { low: 0, high: 1 }';

/** Configs with one mistake each, by what is wrong. */
export const BAD_CONFIGS: Readonly<Record<string, string>> = {
  'a list in place of a config': '- 1',
  'no columns': 'columns: []',
  'an unknown key': column(`${LLM}, prompt: 'On {{ topic }}', tool_allias: x`),
  'a key in two spellings': column(`${LLM}, prompt: 'On {{ topic }}', toolAlias: a, tool_alias: b`),
  'a missing key': column(LLM),
  'a column without a type': column('name: x'),
  'a misspelt column type': column('name: x, column_type: llm-txt'),
  'a column that is text': 'columns: [topic]',
  'a number in place of text': column(`${LLM}, prompt: 5`),
  'a number above its maximum': column(`${LLM}, prompt: 'On {{ topic }}'`).replace(
    'provider: simulator',
    'provider: simulator, inference_parameters: { temperature: 3 }',
  ),
  'a value that is not in the list of values': column(`${LLM}, prompt: 'On {{ topic }}', with_trace: al_messages`),
  'an unknown sampler type': sampler('categry', 'values: [1]'),
  'an empty name': sampler('category', 'values: [1]').replace('name: x', "name: ''"),
  'a name that another column writes': column(
    "name: topic__trace, column_type: expression, expr: '{{ topic }}'",
  ).replace(
    '- { name: topic__trace',
    `- { ${LLM}, prompt: 'On {{ topic }}', with_trace: all_messages }\n- { name: text__trace`,
  ),
  'a column declared twice': column(`${TOPIC}, params: { values: [a] }`),
  'a template that does not parse': column(`${LLM}, prompt: 'On {{ topic'`),
  'a template with a forbidden statement': column(`${LLM}, prompt: '{% set a = 1 %}{{ topic }}'`),
  'a template with an unknown filter': column(`${LLM}, prompt: '{{ topic | uper }}'`),
  'a template with nested loops': column(
    `${LLM}, prompt: '{% for a in topic %}{% for b in topic %}{{ a }}{% endfor %}{% endfor %}'`,
  ),
  'a prompt with an unknown column': column(`${LLM}, prompt: 'On {{ topc }}'`),
  'a prompt with several unknown columns': column(`${LLM}, prompt: '{{ one }} {{ two }}'`),
  'a prompt without columns': column(`${LLM}, prompt: Write a fact.`),
  'a prompt with single braces': column(`${LLM}, prompt: 'On {topic} and {{ topic }}'`),
  'a blank expression': column("name: x, column_type: expression, expr: ' '"),
  'an expression with an unknown column': column("name: x, column_type: expression, expr: '{{ ghost }}'"),
  'an expression that reads itself': column("name: x, column_type: expression, expr: '{{ x }}'"),
  'columns that read each other': column(
    "name: x, column_type: expression, expr: '{{ y }}' }\n- { name: y, column_type: expression, expr: '{{ x }}'",
  ),
  'a skip rule without columns': column(`${LLM}, prompt: 'On {{ topic }}', skip: { when: 'score < 3' }`),
  'a skip rule with a constant': column(`${LLM}, prompt: 'On {{ topic }}', skip: { when: '{{ range(3) }}' }`),
  'a skip rule that reads its column': column(`${LLM}, prompt: 'On {{ topic }}', skip: { when: '{{ text }}' }`),
  'a skip rule of a sampler': sampler('category', 'values: [1]', ", skip: { when: '{{ x }}' }"),
  'a skip value of another type': column(
    "name: x, column_type: expression, expr: '{{ topic }}', dtype: int, skip: { when: '{{ topic }}', value: many }",
  ),
  'a skip value in a column of objects': column(
    "name: x, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: { type: object, properties: { a: { type: string } }, required: [a], additionalProperties: false }, skip: { when: '{{ topic }}', value: 3 }",
  ),
  'an unknown failure policy': column(`${LLM}, prompt: 'On {{ topic }}', on_failure: retry`),
  'an unknown model': column(`${LLM.replace('writer', 'writr')}, prompt: 'On {{ topic }}'`),
  'an unknown tool config': column(`${LLM}, prompt: 'On {{ topic }}', tool_alias: search`),
  'an unknown model provider': column(`${LLM}, prompt: 'On {{ topic }}'`).replace('simulator', 'simulater'),
  'a fallback that is the first model': column(`${LLM}, prompt: 'On {{ topic }}', fallback_model_alias: writer`),
  'a model of another generation type': column(
    `name: v, column_type: embedding, model_alias: writer, target_column: topic`,
  ),
  'weights that are negative': column(`${LLM}, prompt: 'On {{ topic }}'`).replace(
    'provider: simulator',
    'provider: simulator, inference_parameters: { temperature: { distribution_type: manual, params: { values: [0.1, 0.2], weights: [-1, 3] } } }',
  ),
  'a price without output': column(`${LLM}, prompt: 'On {{ topic }}'`).replace(
    'provider: simulator',
    'provider: simulator, pricing: { input: 1 }',
  ),
  'tools without providers': part('tool_configs: [{ tool_alias: search, providers: [] }]'),
  'an empty list of allowed tools': part('tool_configs: [{ tool_alias: search, providers: [demo], allow_tools: [] }]'),
  'a tool that is listed twice': part('tool_configs: [{ tool_alias: search, providers: [demo], allow_tools: [a, a] }]'),
  'an output format that is no schema': column(
    "name: x, column_type: llm-structured, model_alias: writer, prompt: 'On {{ topic }}', output_format: { type: 3 }",
  ),
  'scores with the same name': column(
    "name: x, column_type: llm-judge, model_alias: writer, prompt: 'On {{ topic }}', scores: [{ name: s, description: d, options: { '1': bad } }, { name: s, description: d, options: { '1': bad } }]",
  ),
  'a score without options': column(
    "name: x, column_type: llm-judge, model_alias: writer, prompt: 'On {{ topic }}', scores: [{ name: s, description: d, options: {} }]",
  ),
  'an option that is listed twice': column(
    "name: x, column_type: llm-judge, model_alias: writer, prompt: 'On {{ topic }}', scores: [{ name: s, description: d, options: [[1, bad], [1, good]] }]",
  ),
  'no columns to validate': column(
    'name: x, column_type: validation, target_columns: [], validator_type: code, validator_params: { code_lang: python }',
  ),
  'a validated column that does not exist': column(
    'name: x, column_type: validation, target_columns: [code], validator_type: code, validator_params: { code_lang: python }',
  ),
  'a validated column without code': column(
    'name: x, column_type: validation, target_columns: [topic], validator_type: code, validator_params: { code_lang: python }',
  ),
  'code of another language': column(
    "name: c, column_type: llm-code, model_alias: writer, code_lang: sql:ansi, prompt: '{{ topic }}' }\n- { name: x, column_type: validation, target_columns: [c], validator_type: code, validator_params: { code_lang: python }",
  ),
  'parameters of another validator': column(
    'name: x, column_type: validation, target_columns: [topic], validator_type: code, validator_params: { validator_type: remote, endpoint_url: "https://example.org/v" }',
  ),
  'a function in a file': column(
    'name: x, column_type: validation, target_columns: [topic], validator_type: local_callable, validator_params: { validation_function: check }',
  ),
  'a validator at a private address': column(
    'name: x, column_type: validation, target_columns: [topic], validator_type: remote, validator_params: { endpoint_url: "http://127.0.0.1:9000/v" }',
  ),
  'an output schema that cannot be closed': column(
    'name: x, column_type: validation, target_columns: [topic], validator_type: remote, validator_params: { endpoint_url: "https://example.org/v", output_schema: { type: object, properties: { data: { type: array, items: { type: object, not: { required: [x] } } } } } }',
  ),
  'an empty list of values': sampler('category', 'values: []'),
  'as many weights as values': sampler('category', 'values: [1, 2], weights: [1]'),
  'a negative weight': sampler('category', 'values: [1, 2], weights: [-1, 3]'),
  'a value that is not finite': sampler('category', 'values: [1, .inf]'),
  'a value that is too large': sampler('category', 'values: [1, 99999999999999999999]'),
  'bounds in the wrong order': sampler('uniform', 'low: 5, high: 1'),
  'a bound that is not finite': sampler('uniform', 'low: 1, high: .inf'),
  'a negative standard deviation': sampler('gaussian', 'mean: 0, stddev: -1'),
  'a negative mean of counts': sampler('poisson', 'mean: -1'),
  'a negative number of trials': sampler('binomial', 'n: -1, p: 0.5'),
  'a probability above 1': sampler('bernoulli', 'p: 1.5'),
  'a conversion that does not exist': sampler('uniform', 'low: 0, high: 1', ', convert_to: bogus'),
  'a conversion of text to integers': sampler('category', "values: ['1', '2']", ', convert_to: int'),
  'a conversion of words to floats': sampler('category', 'values: [one, two]', ', convert_to: float'),
  'rounding of text': sampler('uniform', 'low: 0, high: 1, decimal_places: 2', ', convert_to: str'),
  'a time format without a day': sampler('datetime', 'start: 2024-01-01, end: 2024-02-01', ", convert_to: '%H'"),
  'text that is not a time': sampler('datetime', 'start: soon, end: 2024-02-01'),
  'a time that depends on the day': sampler('datetime', 'start: today, end: 2024-02-01'),
  'an end before the start': sampler('datetime', 'start: 2024-02-01, end: 2024-01-01'),
  'an unknown distribution': sampler('scipy', 'dist_name: gama, dist_params: { a: 1 }'),
  'an unsupported distribution': sampler('scipy', 'dist_name: skewnorm, dist_params: { a: 1 }'),
  'an unknown parameter of a distribution': sampler('scipy', 'dist_name: gamma, dist_params: { a: 1, b: 2 }'),
  'a missing parameter of a distribution': sampler('scipy', 'dist_name: gamma, dist_params: {}'),
  'a parameter out of its range': sampler('scipy', 'dist_name: gamma, dist_params: { a: 0 }'),
  'parameters that do not fit together': sampler('scipy', 'dist_name: randint, dist_params: { low: 5, high: 1 }'),
  'an unknown locale': sampler('person_from_faker', 'locale: sv-SE'),
  'an empty list of cities': sampler('person_from_faker', 'city: []'),
  'ages in the wrong order': sampler('person_from_faker', 'age_range: [50, 20]'),
  'an unknown field of a person': sampler('person', 'select_field_values: { shoe_size: [a] }'),
  'a field of a person without values': sampler('person', 'select_field_values: { state: [] }'),
  'a collection that is not installed': sampler('person', 'locale: fr_FR'),
  'a subcategory of a column without a category': pair(
    NUMBER,
    'sampler_type: subcategory, params: { category: a, values: { x: [1] } }',
  ),
  'a category without a list': pair(CATEGORY, 'sampler_type: subcategory, params: { category: a, values: { x: [1] } }'),
  'a list without a category': pair(
    CATEGORY,
    'sampler_type: subcategory, params: { category: a, values: { x: [1], y: [1], z: [1] } }',
  ),
  'an empty list of subcategories': pair(
    CATEGORY,
    'sampler_type: subcategory, params: { category: a, values: { x: [], y: [1] } }',
  ),
  'categories that are numbers': pair(
    'sampler_type: category, params: { values: [1, 2] }',
    'sampler_type: subcategory, params: { category: a, values: {} }',
  ),
  'a duration after a column without times': pair(
    CATEGORY,
    'sampler_type: timedelta, params: { dt_min: 1, dt_max: 2, reference_column_name: a }',
  ),
  'a duration that is too long': pair(
    'sampler_type: datetime, params: { start: 2024-01-01, end: 2024-02-01 }',
    'sampler_type: timedelta, params: { dt_min: 1, dt_max: 9999999, reference_column_name: a }',
  ),
  'parameters of another sampler': sampler(
    'uniform',
    'low: 0, high: 1',
    ", conditional_params: { 'x > 1': { sampler_type: gaussian, mean: 0, stddev: 1 } }",
  ),
  'a sampler that reads a later column': column(
    "name: late, column_type: expression, expr: '{{ topic }}' }\n- { name: sub, column_type: sampler, sampler_type: subcategory, params: { category: late, values: { x: [1] } }",
  ),
  'a constraint that no value satisfies': `${sampler('uniform', 'low: 0, high: 1')}\nconstraints: [{ target_column: x, operator: gt, rhs: 5 }]`,
  'a constraint with an infinite bound': `${sampler('uniform', 'low: 0, high: 1')}\nconstraints: [{ target_column: x, operator: lt, rhs: -.inf }]`,
  'a constraint on an unknown column': `${sampler('uniform', 'low: 0, high: 1')}\nconstraints: [{ target_column: z, operator: lt, rhs: 1 }]`,
  'a constraint of a column with itself': `${sampler('uniform', 'low: 0, high: 1')}\nconstraints: [{ target_column: x, operator: lt, rhs: x }]`,
  'a constraint on a column that is not sampled': `${column("name: x, column_type: expression, expr: '{{ topic }}'")}\nconstraints: [{ target_column: x, operator: lt, rhs: 1 }]`,
  'a constraint between text and numbers': pair(
    CATEGORY,
    NUMBER,
    'constraints: [{ target_column: a, operator: lt, rhs: b }]',
  ),
  'a processor that drops an unknown column': part(
    'processors: [{ processor_type: drop_columns, name: d, column_names: [topc] }]',
  ),
  'a pattern that matches no column': part(
    "processors: [{ processor_type: drop_columns, name: d, column_names: ['x_*'] }]",
  ),
  'a processor that drops every column': part(
    'processors: [{ processor_type: drop_columns, name: d, column_names: [topic] }]',
  ),
  'a processor with a folder name that files cannot have': part(
    "processors: [{ processor_type: schema_transform, name: 'a/b', template: { t: '{{ topic }}' } }]",
  ),
  'a processor that reads an unknown column': part(
    "processors: [{ processor_type: schema_transform, name: s, template: { t: '{{ topc }}' } }]",
  ),
  'a processor that reads a dropped column': `${column("name: x, column_type: expression, expr: '{{ topic }}'")}\nprocessors: [{ processor_type: drop_columns, name: d, column_names: [topic] }, { processor_type: schema_transform, name: s, template: { t: '{{ topic }}' } }]`,
  'a processor that makes no column': part('processors: [{ processor_type: schema_transform, name: s, template: {} }]'),
  'a processor function in a file': part(
    'processors: [{ processor_type: custom, name: c, stage: post_batch, process: f }]',
  ),
  'a seed that does not exist': part('seed_config: { source: { seed_type: local, path: nowhere.csv } }'),
  'a seed that is a folder': part('seed_config: { source: { seed_type: local, path: . } }'),
  'a seed of another format': part('seed_config: { source: { seed_type: local, path: package.json.md } }'),
  'a seed with an unsupported pattern': part("seed_config: { source: { seed_type: local, path: 'docs/a*.csv' } }"),
  'a pattern of seeds without files': part("seed_config: { source: { seed_type: local, path: 'docs/*.csv' } }"),
  'a folder of seeds that does not exist': part('seed_config: { source: { seed_type: directory, path: nowhere } }'),
  'a folder of seeds without files': part(
    "seed_config: { source: { seed_type: directory, path: docs, file_pattern: '*.xyz' } }",
  ),
  'an unknown encoding': part('seed_config: { source: { seed_type: file_contents, path: docs, encoding: klingon } }'),
  'an unknown seed type': part('seed_config: { source: { seed_type: remote, path: a } }'),
  'a Hub path that is too short': part('seed_config: { source: { seed_type: hf, path: datasets/acme/ships } }'),
  'a Hub file that is not a table': part(
    'seed_config: { source: { seed_type: hf, path: datasets/acme/ships/readme.md } }',
  ),
  'a Hub endpoint that is not an address': part(
    'seed_config: { source: { seed_type: hf, path: datasets/acme/ships/a.csv, endpoint: hub } }',
  ),
  'a Hub token of another variable': part(
    'seed_config: { source: { seed_type: hf, path: datasets/acme/ships/a.csv, token: "${OPENAI_API_KEY}" } }',
  ),
  'a Hub token for another server': part(
    'seed_config: { source: { seed_type: hf, path: datasets/acme/ships/a.csv, token: "${HF_TOKEN}", endpoint: "http://hub.example.org" } }',
  ),
  'a seed range in the wrong order': part(
    'seed_config: { source: { seed_type: local, path: a.csv }, selection_strategy: { start: 3, end: 1 } }',
  ),
  'a seed column without a seed': column('name: x, column_type: seed-dataset'),
};
