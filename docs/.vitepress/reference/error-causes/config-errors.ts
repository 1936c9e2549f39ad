import type { FailureCode } from '@data-designer/core';
import { type Explained } from './explained.ts';

/** Errors of configs, templates and secrets. */
export const configErrors = {
  'config/unreadable': {
    cause:
      'A config, a provider file, run settings or another file cannot be read or parsed, or an address cannot be fetched.',
    remedy: 'Check that the file exists, that it is UTF-8 text, and that it is valid YAML or JSON.',
    example: { path: 'facts.yaml', reason: 'there is no such file' },
  },
  'config/code-failed': {
    cause:
      'A TypeScript or JavaScript config cannot be imported, throws an error, or has no config builder as its default export.',
    remedy: 'Correct the file in the line that the message names.',
    example: {
      path: 'facts.ts',
      reason: "it imports the package 'data-designer', which is not installed",
      remedy: 'Install it next to the config: npm install data-designer',
      line: 1,
    },
  },
  'config/invalid': {
    cause:
      'A config, a provider file, run settings or an argument has mistakes. The message lists all of them, each with its path.',
    remedy:
      'Correct the values that the message names. `data-designer validate` finds the same mistakes without starting a run.',
    example: {
      source: 'facts.yaml',
      violations: [
        {
          stage: 'load',
          type: 'missing',
          level: 'ERROR',
          path: 'columns[0].expr',
          file: 'facts.yaml',
          position: { line: 2, column: 5 },
          frame: '  1 | columns:\n> 2 |   - { name: size, column_type: expression }\n    |     ^',
          message: 'this key is missing.',
          remedy: 'Add it, with text as its value.',
        },
      ],
    },
  },
  'secret/missing': {
    cause: 'A provider or a seed names an environment variable for its key, and the variable is not set.',
    remedy: 'Set the variable in the environment, or in the file `.env` of the working folder.',
    example: { name: 'OPENAI_API_KEY', owner: "Model provider 'acme' (api_key)", place: 'providers.yaml:1' },
  },
  'template/syntax': {
    cause: 'A prompt, an expression or a condition is not a valid Jinja template.',
    remedy: 'Correct the template at the line and column of the message.',
    example: { reason: "unexpected 'end of template', expected '}}'", line: 1, column: 13 },
  },
  'template/refused': {
    cause: 'A template uses a feature that templates may not use.',
    remedy: 'Rewrite the template. `jinja_rendering_engine: native` in the run settings allows more of Jinja2.',
    example: { construct: '{% import %}', remedy: 'Write the text where you use it.' },
  },
  'template/unsupported-filter': {
    cause: 'A template uses a filter that does not exist or is not supported.',
    remedy: 'Use one of the filters that the message lists.',
    example: { filter: 'uper', known: ['lower', 'title', 'upper'] },
  },
  'template/empty-render': {
    cause: 'A prompt or an expression rendered as blank text for a row. The cell fails.',
    remedy: 'Check the columns that the message names: they are empty or missing in this row.',
    example: { template: '{{ topic.x }}', culprits: ['topic.x (missing)'] },
  },
  'template/record': {
    cause:
      'A template cannot be rendered with the values of a row, for example because it adds text to a number. The cell fails.',
    remedy: 'Change the template so that it works with every value of the columns that it reads.',
    example: { reason: 'its result "many" cannot be converted to int' },
  },
  'template/limit': {
    cause:
      'A template exceeded a limit of its size, depth or running time. `validate`, `check` and `create` report a limit of its text before anything is made, with file, line and key. A limit of its output or its running time depends on the row: the cell fails.',
    remedy:
      'Make the template or its loops smaller, or split it over several columns. The run setting `jinja_rendering_engine: native` has no limit of 10 levels or 600 nodes.',
    example: { what: 'nested calls', limit: 100 },
  },
} satisfies Partial<Record<FailureCode, Explained>>;
