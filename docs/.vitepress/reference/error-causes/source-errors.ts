import type { FailureCode } from '@data-designer/core';
import { type Explained } from './explained.ts';

/** Errors of tools, seeds, collections and the Hugging Face Hub. */
export const sourceErrors = {
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
  'tool/call-failed': {
    cause:
      'A call of a `tool-calls` column failed, or its template gives no list of calls; or a tool failed in a conversation whose tool config has `on_tool_failure`.',
    remedy: 'Correct the calls or the tool, or set `on_error: keep` and `on_tool_failure: continue`.',
    example: { column: 'truth', reason: "Error: Tool 'move' failed: CHECK constraint failed: balance >= 0" },
  },
  'tool/unknown': {
    cause: 'A tool config allows a tool that none of its providers offers.',
    remedy: 'Correct `allow_tools`. `data-designer check-models` lists the offered tools.',
    example: { alias: 'search', tools: ['serch'], providers: ['files'] },
  },
  'tool/too-many': {
    cause: '`allow_tools` names more tools than the endpoint of a model takes in one request.',
    remedy: 'Allow fewer tools, or set `request_rules` of the model provider if its endpoint takes more.',
    example: { alias: 'office', model: 'writer', tools: 150, most: 128 },
  },
  'tool/never-answered': {
    cause:
      'A tool provider answered none of its first 10 calls: each lost its connection or took too long. The run ends, so that you do not pay for further rows without tools.',
    remedy: 'Correct the server or the provider, and resume the dataset.',
    example: { provider: 'search', calls: 10, reason: 'its process ended with code 1' },
  },
  'tool/not-offered': {
    cause:
      'A column names in `allow_tools` a tool that its tool config does not offer, or one that several providers offer. For a list the run ends before the first request; for a template the cell fails.',
    remedy: 'Correct the name, or write it as `provider/tool`. `data-designer check-models` lists the offered tools.',
    example: {
      column: 'answer',
      alias: 'research',
      tools: [
        { name: 'serch', nearest: 'search' },
        { name: 'find', meanings: ['files/find', 'notes/find'] },
      ],
    },
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
  'benchmark/unreadable': {
    cause: 'A benchmark file cannot be read, or no item can be found in it.',
    remedy: 'Correct the file or the path at the place that the message names.',
    example: { path: 'bench/gsm8k.jsonl', reason: "no text of 'id' has 8 words or more" },
  },
  'collection/not-installed': {
    cause: '`download personas` did not install a collection. The file that was installed before is unchanged.',
    remedy: 'Follow the message, and start again. Other collections of the same command are installed.',
    example: {
      collection: 'en_US',
      reason: 'the disk is full at ~/.data-designer/managed-assets/datasets',
      remedy: 'Free some space and start again.',
    },
  },
  'collection/unavailable': {
    cause:
      'The source of the collections cannot be used: the program `ngc` is missing or not logged in, or a folder has no collections.',
    remedy: 'Set up `ngc` as the message says, or name a folder or an address with `--from`.',
    example: { source: 'NVIDIA NGC', reason: "the program 'ngc' is not on PATH", remedy: 'Install it.' },
  },
  'hub/missing': {
    cause: 'The Hugging Face Hub has no dataset, revision, folder or file of this name.',
    remedy: 'Check `path` of the seed.',
    example: { where: 'The Hub', part: 'dataset', name: 'someone/products', remedy: 'Check the name.' },
  },
  'hub/unauthorized': {
    cause:
      'The Hub denies access to a dataset: it is private, its terms are not accepted, or the token does not allow a push.',
    remedy:
      'For a seed, set `token: HF_TOKEN` and the variable `HF_TOKEN`, and accept the terms on the page of the dataset. For a push, use a token with write permission.',
    example: { dataset: 'someone/products', status: 401, reason: 'access is restricted', remedy: 'Set a token.' },
  },
  'hub/refused': {
    cause: 'A dataset of the Hub is not downloaded, for example because it is too large or has too many files.',
    remedy: 'Name other files, as the message says.',
    example: { path: 'datasets/someone/products/*.csv', reason: 'it has 12000 files', remedy: 'Name fewer files.' },
  },
  'hub/unreachable': {
    cause: 'The Hub does not answer, or it fails repeatedly.',
    remedy:
      'Check the network and the address of the Hub (`endpoint` of the seed, `HF_ENDPOINT` for a push), and start again; completed files are kept.',
    example: { address: 'https://huggingface.co/api/datasets/someone/products', reason: 'connection refused' },
  },
  'hub/not-pushed': {
    cause: 'A push cannot begin, or the Hub refused it. The dataset on the Hub has not changed.',
    remedy: 'Correct what the message names and push again; uploaded files are kept.',
    example: {
      dataset: 'someone/products',
      reason: 'it exists and is public, and a push does not make it private',
      remedy: 'Make it private in its settings on the Hub, or push it as a public dataset.',
    },
  },
  'hub/damaged': {
    cause: 'A file of the Hub arrived with another size or checksum than announced.',
    remedy: 'Start again; completed files are kept.',
    example: { file: 'products.csv', reason: 'its checksum differs' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;
