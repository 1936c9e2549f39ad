import { ANSWER_FLAWS, failedCells as describeCells, FLAW_NAMES, printNames, TOOL_FAILURES } from '@data-designer/core';
import { byReason, type RunFindings } from '@data-designer/engine';
import { formatCount, pluralize } from './format-numbers.ts';

/** What was made in spite of a failure or a flaw, one text each: null cells, failed tool calls, flawed answers. */
export function describeFindings(findings: Omit<RunFindings, 'lost'>): readonly string[] {
  const { failedCells, toolFailures, toolRecoveries, flaws, droppedTools } = findings;
  return [
    ...failedCells.map(
      ({ cells, column, code, message }) => `${describeCells(formatCount(cells), column, code)} failed: ${message}`,
    ),
    ...toolFailures.map(describeToolFailure),
    ...toolRecoveries.map(describeRecovery),
    ...flaws.map(describeFlaws),
    ...byReason(droppedTools).map(
      ({ provider, tools, reason }) =>
        `No model was offered ${describeTools(tools)} of '${provider}', because ${reason}`,
    ),
  ];
}

/** The most tools that a text names. */
const MOST_TOOLS = 5;

/** The names of tools in a text, shortened to the first ones. */
export function describeTools(tools: readonly string[]): string {
  const named = tools.map((tool) => `'${tool}'`);
  return `the ${tools.length === 1 ? 'tool' : 'tools'} ${printNames(named, MOST_TOOLS)}`;
}

function describeToolFailure({ provider, tool, kind, reason, calls }: RunFindings['toolFailures'][number]): string {
  const where = provider === null ? '' : ` of the tool '${tool}' of '${provider}'`;
  return `${pluralize(calls, 'tool call')}${where} failed, because ${TOOL_FAILURES[kind]}: ${reason}`;
}

function describeRecovery({ column, answers }: RunFindings['toolRecoveries'][number]): string {
  return `Before ${pluralize(answers, 'answer')} of column '${column}' tool calls failed first and succeeded later`;
}

function describeFlaws({ column, ...counts }: RunFindings['flaws'][number]): string {
  const parts = FLAW_NAMES.flatMap((flaw) => (counts[flaw] > 0 ? [`${counts[flaw]} ${ANSWER_FLAWS[flaw]}`] : []));
  const remedy = counts.empty > 0 ? EMPTY_REMEDY : '';
  return `Flawed answers of column '${column}', used as they are: ${parts.join(', ')}${remedy}`;
}

/** An empty text is a valid one, so no key of a config has it asked again. */
const EMPTY_REMEDY =
  ". For the empty ones, check 'max_tokens' (reasoning counts too), the content filter, and the prompts; no setting asks again for an empty text";
