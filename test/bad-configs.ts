/** Configs with mistakes, for tests of how they are reported. */

/** A good declaration, and what to change in it. */
export function config(changes: { column?: object; top?: object; tools?: object } = {}): string {
  return JSON.stringify({
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], ...changes.tools }],
    columns: [
      { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt'] } },
      {
        name: 'answer',
        column_type: 'llm-text',
        model_alias: 'writer',
        prompt: 'About {{ topic }}.',
        ...changes.column,
      },
    ],
    ...changes.top,
  });
}

/** A name, the text of a JSON config, and parts of the message. */
export const BAD_CONFIGS: readonly [name: string, text: string, said: readonly string[]][] = [
  [
    'an unknown key, with the nearest one',
    config({ column: { tool_allias: 'facts' } }),
    ['columns[1].tool_allias', "unknown key 'tool_allias'", "Did you mean 'tool_alias'?"],
  ],
  ['an unknown key at the top', config({ top: { colums: [] } }), ["colums: unknown key 'colums'", "'columns'"]],
  [
    'an unknown key in parameters',
    config({
      top: { columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'category', params: { value: [1] } }] },
    }),
    ['columns[0].params.value:', 'has 1 mistake', "Did you mean 'values'?"],
  ],
  [
    'an unknown model alias',
    config({ column: { model_alias: 'writter' } }),
    ['columns[1].model_alias', "'writter'", "Did you mean 'writer'?"],
  ],
  [
    'an unknown tool alias',
    config({ column: { tool_alias: 'fact' } }),
    ['columns[1].tool_alias', "'fact'", "Did you mean 'facts'?"],
  ],
  [
    'an unknown provider',
    config({ tools: { providers: ['demo-tool'] }, column: { tool_alias: 'facts' } }),
    ['tool_configs[0].providers[0]', "Did you mean 'demo-tools'?", '--providers'],
  ],
  [
    'a prompt that names no existing column',
    config({ column: { prompt: 'About {{ topik }}.' } }),
    ['columns[1].prompt', "there is no column 'topik'", "Did you mean 'topic'?"],
  ],
  [
    'an unknown column type',
    config({ column: { column_type: 'llm_text' } }),
    ['columns[1].column_type', "no column type 'llm_text'", "Did you mean 'llm-text'?"],
  ],
  [
    'an unknown sampler type',
    config({ top: { columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'categorie', params: {} }] } }),
    ['columns[0].sampler_type', "'categorie'", "Did you mean 'category'?"],
  ],
  ['a template that does not parse', config({ column: { prompt: 'About {{ topic }.' } }), ['columns[1]', 'line 1']],
  [
    'a column of the name of a side effect',
    config({
      column: { with_trace: true },
      top: {
        columns: [
          { name: 'a', column_type: 'sampler', sampler_type: 'category', params: { values: [1] } },
          { name: 'b', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ a }}', with_trace: true },
          { name: 'b__trace', column_type: 'expression', expr: '{{ a }}' },
        ],
      },
    }),
    ['columns[2].name', "'b__trace' is also written by 'b'"],
  ],
  [
    'seven mistakes of six kinds, all at once',
    config({
      top: {
        columns: [
          { name: 'a', column_type: 'sampler', sampler_type: 'uniform', params: { low: 3, high: 1 } },
          { name: 'b', column_type: 'expression', expr: '{{ ghost }}', colour: 'red' },
          { name: 'c', column_type: 'expression', expr: '{{ spook }}' },
          { name: 'd', column_type: 'llm-text', model_alias: 'nobody', prompt: '{{ a|tojson }}' },
          { name: 'e', column_type: 'expression', expr: '{{ f }}' },
          { name: 'f', column_type: 'expression', expr: '{{ e' },
        ],
      },
    }),
    [
      'has 7 mistakes',
      'columns[0].params.low',
      'columns[1].colour',
      "'ghost'",
      "'spook'",
      "'nobody'",
      "'tojson'",
      'columns[5].expr: Template syntax error',
    ],
  ],
  [
    'columns that wait for each other',
    config({
      top: {
        columns: [
          { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ b }}' },
          { name: 'b', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ a }}' },
        ],
      },
    }),
    ['a -> b -> a'],
  ],
  [
    'an allow-list that allows nothing',
    config({ tools: { allow_tools: [] }, column: { tool_alias: 'facts' } }),
    ['tool_configs[0].allow_tools', 'the list of allowed tools is empty'],
  ],
  [
    'a sampler that reads what a model writes',
    config({
      top: {
        columns: [
          { name: 'late', column_type: 'llm-text', model_alias: 'writer', prompt: 'A word.' },
          {
            name: 'sub',
            column_type: 'sampler',
            sampler_type: 'subcategory',
            params: { category: 'late', values: { a: ['x'] } },
          },
        ],
      },
    }),
    ['columns[1].params.category', "'late' does not use the category sampler"],
  ],
  ['a file that is empty', '   ', ['it is empty']],
  ['a file with a slip before the end of a line', '{"columns": tru\n}', ['is not valid JSON.']],
  [
    'a file of remarks alone',
    'null',
    ['has 1 mistake:\na config must be a mapping of keys to values, but this is null'],
  ],
  ['a file that is not JSON', '{"columns": [', ['config.json']],
];
