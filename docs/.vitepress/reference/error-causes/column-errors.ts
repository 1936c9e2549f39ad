import type { FailureCode } from '@data-designer/core';
import { type Explained } from './explained.ts';

/** Errors of columns, functions, plug-ins and validators. */
export const columnErrors = {
  'attempts/exhausted': {
    cause: 'No attempt at a row was accepted, or all attempts of a pair have the same score.',
    remedy: "Raise `max`, or correct the prompt or `until`. With `on_exhausted: keep_last` or `'null'` the row stays.",
    example: { block: 'solve', attempts: 8, reason: "'until' refused it." },
  },
  'attempts/undecided': {
    cause:
      'The condition of a block of attempts gives neither true nor false. The row is lost without further attempts.',
    remedy: "Compare the value, as in `until: verdict == 'yes'`.",
    example: { block: 'solve', found: 'yes' },
  },
  'execution/invalid': {
    cause: 'The validator `execution` cannot use the tests, the tables or the expected rows of a row.',
    remedy: 'Correct the column that gives them, or the template that reads it.',
    example: { reason: "the table 'orders' is not a list of objects" },
  },
  'execution/lost': {
    cause: 'The process of a sandbox ended while it ran the program of a row.',
    remedy: 'Look at the program. A resume does not run it again.',
    example: { engine: 'javascript', reason: 'the process of the sandbox ended' },
  },
  'execution/unusable': {
    cause: 'The process of a sandbox did not start.',
    remedy: 'Read the reason: a package may be missing, or the system may refuse new processes.',
    example: { engine: 'python', reason: 'its process ended before it was ready' },
  },
  'environment/invalid': {
    cause: 'An environment made with `defineEnvironment` cannot be used.',
    remedy: 'Correct what the message names.',
    example: { environment: 'shop', reason: "its 'open' is not a function" },
  },
  'environment/not-opened': {
    cause:
      'The environment of a row cannot be opened, for example because SQL that comes from a column is wrong. The row is lost.',
    remedy: 'Correct the column or the template that the message names.',
    example: { environment: 'bank', reason: 'its rows.account cannot be used: no such table: account' },
  },
  'environment/not-repeatable': {
    cause:
      'On a resume a tool of an environment gave another result than the journal holds. Its function reads a clock, a file or another changing source. The row is lost.',
    remedy: 'The function must use only the row, its arguments and the given `seed`.',
    example: { environment: 'shop', tool: 'buy', call: 3, before: '{"at":1}', now: '{"at":2}' },
  },
  'environment/no-snapshot': {
    cause:
      'The state of an environment after a column cannot be stored, for example because a table is too large. The row is lost.',
    remedy: 'Make the state smaller, or let `snapshot` return a part of it.',
    example: { environment: 'bank', reason: 'the result has more than 10000 rows' },
  },
  'environment/too-many-requests': {
    cause:
      'A tool call needed more requests to a model than one tool call may send, or a custom column asked more than 16 questions in one cell. The row is lost.',
    remedy: 'Ask fewer questions with these tools in one cell.',
    example: { environment: 'shop', tool: 'buy', call: 3, most: 8 },
  },
  'column/constraint-unmet': {
    cause: 'No drawn value of a sampler column satisfies a constraint. The rows that the message names are lost.',
    remedy: 'Change the constraint or the parameters of the sampler.',
    example: { column: 'price', constraint: 'price < 10', rows: [3], more: 0, nearest: '12.5' },
  },
  'column/not-converted': {
    cause: 'A drawn value cannot be converted to the type in `convert_to`. The rows that the message names are lost.',
    remedy: 'Change `convert_to` or the values of the sampler.',
    example: { column: 'size', value: "'large'", type: 'int', rows: [0, 4], more: 7 },
  },
  'column/bad-media': {
    cause: 'A cell that a column sends as an image, audio or video contains no such media. The cell fails.',
    remedy:
      'Check the value of the column, its `data_type` and its format. Files must be in the dataset folder or a `--media-root`.',
    example: { column: 'photo', modality: 'image', reason: 'it is empty' },
  },
  'column/no-text': {
    cause: 'A cell that an `embedding` column should embed contains no text. The cell fails.',
    remedy: 'Name a column of text in `target_column`, or skip the rows without text.',
    example: { column: 'summary', found: 'null' },
  },
  'column/bad-history': {
    cause:
      'A cell that a column names as its `history`, or the `history` of `cell.ask`, is not a list of messages that a model accepts. For example, a tool call has no result. The cell fails.',
    remedy: 'Correct the message that the text names. Messages have a `role` and `content`, as in a trace.',
    example: { column: 'chat', message: 3, reason: "the tool call 'find' before it has no result" },
  },
  'column/bad-tools': {
    cause:
      'The template `allow_tools` of a column gave a row something other than a list of tool names. The cell fails.',
    remedy: 'Let the template give a list of names, or such a list as JSON text.',
    example: { column: 'answer', found: '"get_fact"' },
  },
  'column/bad-schema': {
    cause:
      'The template `output_format` of an `llm-structured` column gave a row something other than a JSON Schema that can be used: no object, an invalid or too large schema, or one that refers to another document. The cell fails before a request is sent.',
    remedy: 'Correct the schemas of the rows that the text names, or skip these rows.',
    example: { column: 'answer', reason: 'it has 40,000 characters, more than 32,768' },
  },
  'answer/schema-timed-out': {
    cause:
      'Compiling the schema of a row, or checking one answer by it, reached the time limit. The cell fails, and a resume does not try it again.',
    remedy: 'Simplify the schema: remove references and conditions that multiply.',
    example: { column: 'answer', limitMs: 5000 },
  },
  'column/undecided-skip': {
    cause:
      'The condition of `skip.when` reads a value that is missing or of another type than it needs. The cell is skipped, as in NeMo Data Designer, and counted among the failed cells.',
    remedy: 'Test the value first, or correct the condition.',
    example: { reason: "'>' not supported between instances of 'str' and 'int'" },
  },
  'column/bad-turns': {
    cause: 'The template of `turns` of a `conversation` column does not render to a whole number. The cell fails.',
    remedy: 'Let the template render a whole number within the bounds that the text names.',
    example: { column: 'chat', found: "'many'", most: 1000 },
  },
  'column/bad-result': {
    cause: 'The function of a `custom` column returned a value that does not fit the column. The cell fails.',
    remedy: 'Return an object with a value for the column and for each of its side effect columns.',
    example: { column: 'grade', reason: "it has no value for 'grade'" },
  },
  'answer/pattern-timed-out': {
    cause:
      'Matching a `pattern` of a JSON Schema against one text took too long. The cell fails, and the journal records that, so that a resume does not try it again.',
    remedy: 'Rewrite the pattern without lookarounds and backreferences, or remove it from the schema.',
    example: { pattern: '^(a+)+$', limitMs: 1000 },
  },
  'cell/killed-worker': {
    cause: 'One cell ended its worker thread several times, for example by using up its memory.',
    remedy:
      "Check the column's schema, template or function with the values of the row, or set `on_failure` to continue without the row.",
    example: { column: 'grade', row: 17, cause: 'ended 2 worker threads' },
  },
  'function/threw': {
    cause: 'A function of a custom column, a processor or a validator threw an error.',
    remedy: 'Correct the function.',
    example: { function: 'grade', reason: "Cannot read properties of undefined (reading 'length')" },
  },
  'function/bad-value': {
    cause: 'A function returned a value that a dataset cannot store, such as a date object or a function.',
    remedy: 'Return text, numbers, booleans, null, arrays or plain objects.',
    example: { function: 'grade', at: 'result.when', found: 'a Date' },
  },
  'function/unavailable': {
    cause:
      'A function of a config cannot be called: its module cannot be loaded, or the dataset is used without the program that has the function. The run ends.',
    remedy: 'Correct the module, or run the dataset from the TypeScript program.',
    example: { function: 'grade', reason: 'the program that defines it is not running' },
  },
  'plugin/unusable': {
    cause: 'A plug-in cannot be loaded, or what it exports is not a plug-in.',
    remedy: 'Check that the package is installed in the working folder, and that its module exports `plugin`.',
    example: { module: './my-plugin.mjs', reason: "it exports no 'plugin' made with definePlugin" },
  },
  'plugin/threw': {
    cause: 'The code of a plug-in threw an error while it made a column.',
    remedy: 'Report it to the author of the plug-in. The message contains the error.',
    example: { module: 'my-plugin', column: 'shout', reason: 'x is not a function' },
  },
  'plugin/unknown-catalog': {
    cause: 'The home folder has no catalog of that alias.',
    remedy: 'Use an alias that `data-designer plugin catalog list` shows, or add the catalog.',
    example: { alias: 'acme', known: [] },
  },
  'plugin/unknown-package': {
    cause: 'No catalog in the home folder lists a package of that name.',
    remedy: 'Use a name that `data-designer plugin list` shows, or add the catalog that lists the package.',
    example: { name: 'data-designer-word', remedy: "Did you mean 'data-designer-words'?" },
  },
  'plugin/ambiguous-package': {
    cause: 'Several catalogs list the package, or several packages have the same short name.',
    remedy: 'Give the whole name of the package, and name the catalog with `--catalog`.',
    example: {
      name: 'words',
      matches: ['data-designer-words (catalog acme)', '@tools/data-designer-words (catalog tools)'],
    },
  },
  'plugin/incompatible': {
    cause: 'The catalog says that the package needs another version of Node or of Data Designer.',
    remedy: 'Update the program that the message names, or install an older version of the package.',
    example: { package: 'data-designer-words', reasons: ['it needs data-designer >=1 <2, and this is 0.9.0'] },
  },
  'plugin/no-project': {
    cause:
      'A plug-in is installed in a project, and neither the working folder nor a folder above it has a package.json.',
    remedy: 'Run the command in the folder of your project, or create a project with `npm init -y`.',
    example: { folder: '/home/ada/sets' },
  },
  'plugin/no-manager': {
    cause: 'The project has lockfiles of several package managers, or names a package manager that is not supported.',
    remedy: 'Name one with `--manager npm`, `pnpm` or `yarn`.',
    example: { folder: '/home/ada/sets', reason: 'it has package-lock.json and yarn.lock' },
  },
  'plugin/manager-failed': {
    cause: 'The package manager could not be started, or ended with an error. Its output precedes the message.',
    remedy: 'Correct the cause, for example the connection to the registry, and start the command again.',
    example: {
      command: 'npm install data-designer-words',
      folder: '/home/ada/sets',
      reason: 'it ended with the exit code 1',
    },
  },
  'plugin/interrupted': {
    cause: 'Ctrl-C or a signal ended the command while the package manager changed the project.',
    remedy: 'Start the command again: a package manager completes an incomplete installation.',
    example: { command: 'npm install data-designer-words', folder: '/home/ada/sets', signal: 'SIGINT' },
  },
  'plugin/not-installed': {
    cause: 'The package.json of the project does not list the package that `plugin uninstall` should remove.',
    remedy: 'Use a name that `data-designer plugin installed` shows, and run the command in the folder of the project.',
    example: { name: 'data-designer-word', folder: '/home/ada/sets', known: ['data-designer-words', 'zod'] },
  },
  'validator/failed': {
    cause:
      'The server of a `remote` validation column did not answer. The cells of the batch fail; if no request succeeds, the run ends.',
    remedy: 'Check the address in `endpoint_url`, and that the server is running.',
    example: { column: 'check', server: 'http://127.0.0.1:9000/check', reason: 'connection refused' },
  },
  'validator/bad-answer': {
    cause: 'The server of a `remote` validation column returned something other than one result for each row.',
    remedy: 'Correct the server. The message says how its answer differs.',
    example: { column: 'check', server: 'http://127.0.0.1:9000/check', reason: 'it has 9 results for 10 rows' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;
