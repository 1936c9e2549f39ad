import { DataDesignerError, type FailureCode, FAILURE_CODES, isRetryable } from '@data-designer/core';
import { CAUSES } from './error-causes/error-causes.ts';
import { code, page, prose } from './markdown.ts';

/** The heading of each area of error codes, in the order of the page. */
const AREAS: Readonly<Record<string, string>> = {
  config: 'Configs',
  secret: 'Secrets',
  template: 'Templates',
  column: 'Columns',
  answer: 'Answers',
  cell: 'Cells',
  model: 'Models',
  tool: 'Tools',
  function: 'Functions',
  plugin: 'Plug-ins',
  validator: 'Validators',
  processor: 'Processors',
  seed: 'Seeds',
  hub: 'Hugging Face Hub',
  cluster: 'Clusters',
  run: 'Runs',
  journal: 'Journals',
  dataset: 'Datasets',
  rehearsal: 'Estimates',
  report: 'Reports',
  serve: 'MCP server',
  usage: 'Command line',
  environment: 'Environment',
  internal: 'Internal',
};

/** Every error code with an example message, its cause and its remedy. */
export function errorsPage(): string {
  const areas = Map.groupBy(FAILURE_CODES, (one) => one.split('/', 1).join());
  const known = Object.keys(AREAS);
  const order = [...known, ...[...areas.keys()].filter((area) => !known.includes(area))];
  return page('Errors', [
    'Every failure is a `DataDesignerError` with a `code`, a message, and `data` with the particulars. The command line prints the code and the message, and with `--json` one object `{ error: { code, message, data, violations } }` on standard output. Each section below shows an example message.',
    'A cell that fails does not end the run: `on_failure` of its column decides about the row. A failed row is counted, and `failures.jsonl` in the dataset folder has the reason. Errors that concern every row end the run; finished rows and received answers are saved.',
    ...order.flatMap((area) => areaSections(area, areas.get(area) ?? [])),
  ]);
}

function areaSections(area: string, codes: readonly FailureCode[]): string[] {
  if (codes.length === 0) return [];
  return [`## ${AREAS[area] ?? area}`, ...codes.flatMap(errorSection)];
}

function errorSection(failure: FailureCode): string[] {
  const explained = CAUSES[failure];
  if (explained === undefined) throw new Error(`error-causes/ does not explain '${failure}'`);
  const { message } = new DataDesignerError(failure, explained.example as never);
  const isIncomplete = /\bundefined\b|\bNaN\b|\[object/.test(message) && !/undefined/.test(JSON.stringify(explained));
  if (isIncomplete) throw new Error(`the example of '${failure}' in error-causes/ lacks data: ${message}`);
  return [
    `### ${code(failure)}`,
    `\`\`\`text\n${message}\n\`\`\``,
    `**Cause:** ${prose(explained.cause)}`,
    `**Remedy:** ${prose(explained.remedy)}`,
    isRetryable(failure) ? 'A later attempt may succeed; the gateway has already retried the request.' : '',
  ];
}
