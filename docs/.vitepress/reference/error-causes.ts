import type { FailureCode } from '@data-designer/core';

/** How the reference explains an error code. */
interface Explained {
  /** When the error occurs, and what it concerns: one cell, or the whole run. */
  readonly cause: string;
  readonly remedy: string;
  /** The data of the example message. */
  readonly example: Readonly<Record<string, unknown>>;
}

const answer = { model: 'writer', status: 400, reason: 'invalid request' } as const;
const RESUME = 'continue with `--resume always`';

/** Errors of configs, templates and secrets. */
const CONFIG = {
  'config/unreadable': {
    cause:
      'A config, a provider file, run settings or another file cannot be read or parsed, or an address cannot be fetched.',
    remedy: 'Check that the file exists, that it is UTF-8 text, and that it is valid YAML or JSON.',
    example: { path: 'facts.yaml', reason: 'there is no such file' },
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
          message: 'this key is required.',
          remedy: 'Add it.',
        },
      ],
    },
  },
  'secret/missing': {
    cause: 'A provider or a seed names an environment variable for its key, and the variable is not set.',
    remedy: 'Set the variable in the environment, or in the file `.env` of the working folder.',
    example: { name: 'OPENAI_API_KEY', owner: "Provider 'openai'" },
  },
  'template/syntax': {
    cause: 'A prompt, an expression or a condition is not a valid Jinja template.',
    remedy: 'Correct the template at the line and column of the message.',
    example: { reason: "expected '}}', found the end of the template", line: 1, column: 14 },
  },
  'template/refused': {
    cause: 'A template uses a feature that templates may not use.',
    remedy: 'Rewrite the template. `jinja_rendering_engine: native` in the run settings allows more of Jinja2.',
    example: { construct: 'imports', remedy: 'Write the text in this template.' },
  },
  'template/unsupported-filter': {
    cause: 'A template uses a filter that does not exist or is not supported.',
    remedy: 'Use one of the filters that the message lists.',
    example: { filter: 'uper', known: ['lower', 'title', 'upper'] },
  },
  'template/empty-render': {
    cause: 'A prompt or an expression rendered as blank text for a row. The cell fails.',
    remedy: 'Check the columns that the message names: they are empty or missing in this row.',
    example: { template: '{{ topic }}', culprits: ['topic'] },
  },
  'template/record': {
    cause:
      'A template cannot be rendered with the values of a row, for example because it adds text to a number. The cell fails.',
    remedy: 'Change the template so that it works with every value of the columns that it reads.',
    example: { reason: "its result 'many' cannot be cast to int" },
  },
  'template/limit': {
    cause: 'A template exceeded a limit of its size, depth or running time. The cell fails.',
    remedy: 'Make the template or its loops smaller.',
    example: { what: 'nested calls', limit: 100 },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

/** Errors of columns, functions, plug-ins and validators. */
const COLUMNS = {
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
    example: { function: 'grade', reason: 'its program is not here' },
  },
  'plugin/unusable': {
    cause: 'A plug-in cannot be loaded, or what it exports is not a plug-in.',
    remedy: 'Check that the package is installed in the working folder, and that its module exports `plugin`.',
    example: { module: 'my-plugin', reason: "it exports no 'plugin'" },
  },
  'plugin/threw': {
    cause: 'The code of a plug-in threw an error while it made a column.',
    remedy: 'Report it to the author of the plug-in. The message contains the error.',
    example: { module: 'my-plugin', column: 'shout', reason: 'x is not a function' },
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

/** Errors of models. */
const MODELS = {
  'model/rate-limited': {
    cause:
      "The endpoint answered every attempt with status 429 until the call's time limit. The cell fails; if no request of the run succeeds, the run ends.",
    remedy: 'Lower `max_parallel_requests`, raise `total_timeout`, or ask the provider for a higher limit.',
    example: { model: 'writer', reason: 'Rate limit reached' },
  },
  'model/timed-out': {
    cause:
      'The endpoint did not answer within the time limit. The cell fails; if no request of the run is answered, the run ends.',
    remedy: 'Raise `timeout` or `total_timeout` in the inference parameters of the model.',
    example: { model: 'writer', timeoutMs: 600_000 },
  },
  'model/unreachable': {
    cause: 'The endpoint cannot be connected to. The cell fails; if the endpoint has never responded, the run ends.',
    remedy: 'Check that the server is running, that the address of the provider is correct, and the proxy.',
    example: { model: 'writer', reason: 'connection refused' },
  },
  'model/server-error': {
    cause:
      'The endpoint answered every attempt with a status of 500 or above, or with 409 or 425. The cell fails; if no request of the run is answered, the run ends.',
    remedy: "Look at the server's log, or wait and resume.",
    example: { ...answer, status: 503, reason: 'overloaded' },
  },
  'model/unauthorized': {
    cause: 'The endpoint does not accept the key (status 401). The run ends.',
    remedy: `Correct the key, then ${RESUME}.`,
    example: { ...answer, status: 401, reason: 'Incorrect API key provided' },
  },
  'model/permission-denied': {
    cause: 'The key may not use this model (status 403). The run ends.',
    remedy: `Ask the provider for access, or use another model; then ${RESUME}.`,
    example: { ...answer, status: 403, reason: 'no access to this model' },
  },
  'model/quota-exceeded': {
    cause: 'The account has no credit left. The run ends.',
    remedy: `Add credit, then ${RESUME}.`,
    example: { ...answer, status: 402, reason: 'insufficient credit' },
  },
  'model/not-found': {
    cause: 'The endpoint does not know the model, or has no such path (status 404). The run ends.',
    remedy: 'Check `model` in the config and `endpoint` of the provider.',
    example: { ...answer, status: 404, reason: 'model not found' },
  },
  'model/context-exceeded': {
    cause: 'The prompt is longer than the context of the model. The cell fails.',
    remedy: 'Shorten the prompt, lower `max_result_chars` of its tools, or use a model with a longer context.',
    example: { ...answer, reason: 'maximum context length is 8192 tokens' },
  },
  'model/unprocessable': {
    cause: 'The endpoint cannot process the request (status 422). The cell fails.',
    remedy: 'Check the inference parameters, `extra_body`, and the media in the prompt.',
    example: { ...answer, status: 422, reason: 'invalid image' },
  },
  'model/unsupported-parameter': {
    cause: 'The model does not support an inference parameter. The cell fails.',
    remedy: 'Remove the parameter from `inference_parameters` or `extra_body`.',
    example: { ...answer, reason: "'temperature' is not supported" },
  },
  'model/rejected': {
    cause: 'The endpoint refused the request for another reason. The cell fails.',
    remedy: 'Read the reason in the message, and change the request.',
    example: answer,
  },
  'model/unsupported-capability': {
    cause:
      'A column needs a capability that the protocol of the provider does not have, such as images. The cell fails.',
    remedy: 'Use a model of another provider.',
    example: { model: 'painter', capability: 'generate images', protocol: 'anthropic' },
  },
  'model/no-picture': {
    cause: 'The answer to an `image` column contains no usable image. The cell fails.',
    remedy: 'Check that the model generates images.',
    example: { model: 'painter', reason: 'the answer contains text only' },
  },
  'model/unusable-provider': {
    cause: 'A model provider cannot be used: its address or its headers are invalid.',
    remedy: 'Correct the provider as the message says.',
    example: {
      provider: 'local',
      reason: "its endpoint 'localhost' is not an address",
      remedy: 'Write it as http://localhost:8000/v1.',
    },
  },
  'model/bad-answer': {
    cause:
      'The endpoint answered with status 200, but with something that is not an answer of its protocol. The cell fails.',
    remedy: 'Check that the endpoint serves the protocol in `provider_type`.',
    example: { model: 'writer', reason: 'it is an HTML page' },
  },
  'model/no-choice': {
    cause: 'The endpoint answered with status 200, but with an error or without a message. The cell fails.',
    remedy: 'Check the endpoint. It may charge for these answers.',
    example: { model: 'writer', reason: 'it contains no choices', attempts: 3 },
  },
  'model/answer-too-long': {
    cause: 'An answer was larger than the size limit. The cell fails.',
    remedy: 'Raise `max_answer_mb` in the inference parameters, if such answers are intended.',
    example: { model: 'writer', maxBytes: 16_000_000 },
  },
  'model/gave-up': {
    cause: 'The model returned no valid answer after all corrections and restarts. The cell fails.',
    remedy:
      'Simplify the requested output, allow corrections with `max_conversation_correction_steps`, or use a stronger model.',
    example: { model: 'writer', reason: "'age' must be of type integer", corrections: 0, restarts: 5 },
  },
  'model/no-final-answer': {
    cause: 'The model still called tools when its turns were used up. The cell fails.',
    remedy: 'Raise `max_tool_call_turns` of the tool config, or change the prompt.',
    example: { model: 'writer', turns: 5 },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

/** Errors of tools, seeds and the Hugging Face Hub. */
const SOURCES = {
  'tool/unavailable': {
    cause: 'A tool provider cannot be started or connected to. The run ends.',
    remedy:
      "Check the command or the address of the provider. The message contains the end of the server's error output.",
    example: { provider: 'files', reason: 'its process ended with code 1' },
  },
  'tool/invalid': {
    cause: 'A function tool is declared incorrectly.',
    remedy: 'Correct the argument of `defineTool` that the message names.',
    example: { tool: 'add', reason: 'its parameters are not an object schema' },
  },
  'tool/unknown': {
    cause: 'A tool config allows a tool that none of its providers offers.',
    remedy: 'Correct `allow_tools`. `data-designer check-models` lists the offered tools.',
    example: { alias: 'search', tools: ['serch'], providers: ['files'] },
  },
  'tool/duplicate': {
    cause: 'Several providers of one tool config offer a tool of the same name.',
    remedy: 'Give each provider its own `tool_prefix`, or use two tool configs.',
    example: { alias: 'search', tool: 'find', providers: ['files', 'web'] },
  },
  'seed/unreadable': {
    cause: 'The rows of a seed cannot be read.',
    remedy: 'Correct the file or the rows at the place that the message names.',
    example: { source: 'products.csv', reason: 'line 7 has 3 values, and the header has 4' },
  },
  'hub/missing': {
    cause: 'The Hugging Face Hub has no dataset, revision, folder or file of this name.',
    remedy: 'Check `path` of the seed.',
    example: { where: 'The Hub', part: 'dataset', name: 'someone/products', remedy: 'Check the name.' },
  },
  'hub/unauthorized': {
    cause: 'The Hub does not let you read the dataset: it is private, or its terms are not accepted.',
    remedy:
      'Set `token: HF_TOKEN` in the seed and the variable `HF_TOKEN` in the environment, and accept the terms on the page of the dataset.',
    example: { dataset: 'someone/products', status: 401, reason: 'access is restricted', remedy: 'Set a token.' },
  },
  'hub/refused': {
    cause: 'A dataset of the Hub is not downloaded, for example because it is too large or has too many files.',
    remedy: 'Name other files, as the message says.',
    example: { path: 'datasets/someone/products/*.csv', reason: 'it has 12000 files', remedy: 'Name fewer files.' },
  },
  'hub/unreachable': {
    cause: 'A file of the Hub cannot be fetched.',
    remedy: 'Check the network and `endpoint` of the seed, and start again; completed files are kept.',
    example: { address: 'https://huggingface.co/api/datasets/someone/products', reason: 'connection refused' },
  },
  'hub/damaged': {
    cause: 'A file of the Hub arrived with another size or checksum than announced.',
    remedy: 'Start again; completed files are kept.',
    example: { file: 'products.csv', reason: 'its checksum differs' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

/** Errors of runs, journals and processors. */
const RUNS = {
  'rehearsal/invalid-option': {
    cause: 'An option of `rehearse` has an invalid value.',
    remedy: 'Use a value that the message describes.',
    example: { option: 'errorRate', found: '2', wanted: 'a number from 0 to 0.5' },
  },
  'report/invalid-option': {
    cause: 'An option of a report has an invalid value.',
    remedy: 'Use a value that the message describes.',
    example: { option: 'savePath', found: 'report.pdf', wanted: 'a path that ends in .html' },
  },
  'run/aborted': {
    cause: 'A signal stopped the run: Ctrl-C, SIGTERM, or an `AbortSignal`.',
    remedy: `To make the other rows, ${RESUME}.`,
    example: { reason: 'by SIGINT' },
  },
  'run/budget-spent': {
    cause: 'The answers cost as much as `max_cost` allows. The run ends and keeps its finished rows.',
    remedy: `Raise \`max_cost\`, then ${RESUME}.`,
    example: { maxCost: 5, cost: 5.0213 },
  },
  'run/time-spent': {
    cause: 'The run took as long as `max_duration_seconds` allows. The run ends and keeps its finished rows.',
    remedy: `Raise the limit, then ${RESUME}.`,
    example: { maxDurationSeconds: 3600 },
  },
  'run/stopped-early': {
    cause: 'Too many recent cells of one column failed. The run ends and keeps its finished rows.',
    remedy: `Correct the cause that the message quotes, then ${RESUME}. \`shutdown_error_rate\` and \`disable_early_shutdown\` change the limit.`,
    example: { column: 'quiz', failed: 10, cells: 10, cause: 'the answer is not JSON' },
  },
  'run/over': {
    cause: 'The run is ending, so a row could not get further answers. Programs see it in functions that ask models.',
    remedy: `To make the unfinished rows, ${RESUME}.`,
    example: { reason: 'the run is about to end' },
  },
  'run/cell-failed': {
    cause: 'A cell of a column with `on_failure: abort` failed. The run ends.',
    remedy: `Correct the cause that the message quotes, then ${RESUME}.`,
    example: { column: 'quiz', row: 17, code: 'model/gave-up', reason: 'The answer is not JSON.', messages: [] },
  },
  'run/worker-lost': {
    cause:
      'A row group lost its worker thread several times, and no single cell causes it. Usually the memory ran out.',
    remedy: `Give the threads more memory with \`NODE_OPTIONS=--max-old-space-size=8192\` or lower \`buffer_size\`, then ${RESUME}.`,
    example: { group: 4, rows: 1000, losses: 3, reason: 'it ran out of memory' },
  },
  'run/workers-lost': {
    cause: 'All worker threads ended, one after another.',
    remedy: `Check the memory and the thread limit of the machine, then ${RESUME}.`,
    example: { losses: 4, reason: 'it ran out of memory' },
  },
  'run/gateway-lost': {
    cause: 'The thread that sends requests ended.',
    remedy: `To make the other rows, ${RESUME}.`,
    example: { reason: 'it ran out of memory' },
  },
  'run/provider-failed': {
    cause: 'A built-in provider, such as the simulator, did not start.',
    remedy: 'Read the reason in the message.',
    example: { provider: 'simulator', reason: 'its process ended with code 1' },
  },
  'run/no-rows': {
    cause: 'Every row of the run was lost.',
    remedy:
      'Correct the first failure, which the message quotes. `failures.jsonl` in the dataset folder lists all of them.',
    example: { rows: 10, cause: "Column 'photo' holds no text to embed: the cell is null." },
  },
  'journal/ends': {
    cause:
      'A dry replay, which sends no request, needs an answer that is not in the journal. Users do not see this error.',
    remedy: 'None is needed.',
    example: {},
  },
  'journal/void': {
    cause:
      'A resumed run would send other requests than those whose answers are in the journal, because a setting has changed. Nothing was sent.',
    remedy: 'Restore the setting, or add `--re-request` to pay for these answers again.',
    example: { path: 'artifacts/facts', answers: 12, cost: 0.4, columns: [{ column: 'quiz', answers: 12 }] },
  },
  'processor/failed': {
    cause: 'A processor failed. The run ends; nothing of the row group is written, and its answers are saved.',
    remedy: `Correct the processor, then ${RESUME}.`,
    example: {
      processor: 'chat',
      row: 3,
      code: 'template/record',
      reason: "A template cannot render this record: 'x' is missing.",
    },
  },
  'processor/changed-rows': {
    cause: 'A processor returned another number of rows than it received, at a stage where it must not.',
    remedy: 'Return as many rows, or use the stage `after_generation`.',
    example: { processor: 'filter', stage: 'post_batch', given: 1000, made: 912 },
  },
  'processor/bad-rows': {
    cause: 'A processor returned rows that the dataset cannot store.',
    remedy: 'Return rows with the same columns and types.',
    example: { processor: 'clean', reason: "row 2 has no column 'age'" },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

/** Errors of dataset folders, servers and the environment. */
const DATASETS = {
  'dataset/no-media-root': {
    cause: 'A folder given as a media root does not exist or is not a folder.',
    remedy: 'Name an existing folder.',
    example: { path: 'photos', reason: 'there is no such folder' },
  },
  'dataset/terminal': {
    cause: 'A finished dataset with an `after_generation` processor cannot get more rows.',
    remedy: 'Create a new dataset under another name.',
    example: { path: 'artifacts/facts', had: 100, wanted: 200 },
  },
  'dataset/no-processor': {
    cause: 'The dataset has no side table of the requested processor.',
    remedy: 'Name one of the processors that the message lists.',
    example: { path: 'artifacts/facts', processor: 'chats', known: ['chat'] },
  },
  'dataset/unwritable': {
    cause: 'A file or a folder cannot be written.',
    remedy: 'Choose another folder, or change its permissions.',
    example: { path: '/data/facts', reason: 'permission denied' },
  },
  'dataset/no-format': {
    cause: 'The extension of an export file names no format.',
    remedy: 'Change the extension, or state the format.',
    example: { path: 'facts.xls', known: ['jsonl', 'csv', 'parquet', 'arrow'] },
  },
  'dataset/locked': {
    cause: 'Another process is using the dataset folder.',
    remedy: 'Wait until it ends, or choose another dataset name.',
    example: { path: 'artifacts/facts', owner: 'process 4711' },
  },
  'dataset/disk-full': {
    cause: 'The disk is full.',
    remedy: `Free some space, then ${RESUME}.`,
    example: { path: 'artifacts/facts' },
  },
  'dataset/incompatible': {
    cause: 'The config, the models or the seed differ from those with which the dataset was begun.',
    remedy: 'Undo the change, or choose another dataset name.',
    example: { path: 'artifacts/facts', reason: "column 'quiz' has changed" },
  },
  'dataset/misfit': {
    cause: 'A value does not fit the type of its column.',
    remedy: 'Make all values of the column of one type.',
    example: { column: 'age', row: 3, expected: 'an integer', found: "'unknown'" },
  },
  'dataset/missing': {
    cause: 'There is no dataset in the folder.',
    remedy: 'Check the folder and the name.',
    example: { path: 'artifacts/fact' },
  },
  'dataset/empty': {
    cause: 'The dataset has no rows to show, because none is finished or all are lost.',
    remedy: `To make rows, ${RESUME}. \`failures.jsonl\` in the folder lists lost rows.`,
    example: { path: 'artifacts/facts' },
  },
  'dataset/unfinished': {
    cause: 'The dataset is unfinished, and the operation needs a finished one.',
    remedy: `To finish it, ${RESUME}; or read the finished rows with \`unfinished: true\`.`,
    example: { path: 'artifacts/facts', made: 3, wanted: 10 },
  },
  'dataset/damaged': {
    cause: 'A file of the dataset cannot be read, or its checksum differs.',
    remedy: 'Follow the message: restore the file from a copy, or let a resume make it again.',
    example: { path: 'artifacts/facts/metadata.json', reason: 'it is not valid JSON' },
  },
  'dataset/newer-journal': {
    cause: 'A newer version of Data Designer wrote the journal of the dataset.',
    remedy: 'Resume the dataset with that version.',
    example: { path: 'artifacts/facts/journal', version: 9, known: 3 },
  },
  'dataset/damaged-rows': {
    cause: 'Data files are damaged, and making their rows again would send requests. Nothing was sent.',
    remedy: 'Restore the files from a copy, or add `--re-request` to pay for these answers again.',
    example: { path: 'artifacts/facts', files: ['batch_00003.parquet'], rows: 1000, cost: 2.5 },
  },
  'dataset/no-chats': {
    cause: 'An export or a view of conversations finds none in the dataset.',
    remedy: 'Create the dataset with `with_trace: all_messages`.',
    example: { path: 'artifacts/facts', reason: 'it has no trace column' },
  },
  'serve/refused': {
    cause: '`data-designer mcp serve` refuses a call of a client. The message says why.',
    remedy: 'Change the call, or the limits with which the server was started.',
    example: { reason: 'A call may make at most 10000 records; this one asks for 20000.' },
  },
  'environment/port-in-use': {
    cause: 'The port to listen at is in use.',
    remedy: 'Choose another port, or 0 for any free one.',
    example: { port: 8321 },
  },
  'environment/cannot-listen': {
    cause: 'A server cannot listen at the address.',
    remedy: 'Choose another port or address.',
    example: { address: '127.0.0.1:80', reason: 'permission denied' },
  },
  'environment/node-too-old': {
    cause: 'The version of Node.js is too old.',
    remedy: 'Install a newer one.',
    example: { found: '20.11.0', needed: '22.12' },
  },
  'internal/unexpected': {
    cause: 'A mistake in Data Designer or in a library that it uses.',
    remedy: 'Report it with the message and the stack trace. A run that ended this way can be resumed.',
    example: { reason: 'x is not a function' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

/** The explanation of every error code. */
export const CAUSES: Readonly<Partial<Record<FailureCode, Explained>>> = {
  ...CONFIG,
  ...COLUMNS,
  ...MODELS,
  ...SOURCES,
  ...RUNS,
  ...DATASETS,
};
