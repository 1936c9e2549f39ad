import { stat } from 'node:fs/promises';
import { ANSWER_FLAWS, type AnswerFlaw, FLAW_NAMES, type Plan, TOOL_FAILURES } from '@data-designer/core';
import { batchFiles, groupsIn, markedGroups, readSelection } from '@data-designer/dataset';
import { journaledGroups } from '@data-designer/dataset/journal';
import { attemptFigures, byReason, findDamages, readJournaledUsage, type RunSummary } from '@data-designer/engine';
import { addCosts } from '@data-designer/printing/describe-cost';
import type { Condition } from '../api/filter.ts';
import type { AliasUsage, Overview, RunFacts, ToolUsage } from '../api/overview.ts';
import { cellsOf } from '../run-cells.ts';
import { lostFailures } from './failures.ts';
import { columnStats } from './query/column-stats.ts';
import { summaryOf } from './summary-of.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** What a dataset is, what its run did, and what it does now. */
export async function overviewOf(dataset: ShownDataset): Promise<Overview> {
  const { plan, format, columns, scores } = await dataset.plan();
  const figures = await dataset.monitor.figures();
  const summary = await summaryOf(dataset);
  // While a process is at work, it reports the usage of open row groups itself.
  if (figures.state !== 'running') await addJournaled(summary, dataset, plan);
  await dataset.failures.refresh();
  const selection = await readSelection(dataset.paths.metadata);
  return {
    ...figures,
    dataset: dataset.entry,
    format,
    columns,
    scores,
    sideTables: plan.processors.flatMap(({ config, sideTable }) => (sideTable ? [config.name] : [])),
    usage: usageOf(summary, plan),
    tools: toolsOf(summary),
    attempts: attemptFigures(plan, summary),
    findings: [...findingsOf(summary, columns), ...(await damagesOf(dataset, { ...figures, summary, plan }))],
    lost: [...(selection?.refused ?? []), ...dataset.failures.lost].toSorted((a, b) => b.rows - a.rows),
    failedCells: dataset.failures.cells,
    selection: selection ? { candidates: selection.candidates, accepted: selection.accepted } : null,
  };
}

/** What a run made. The scores are counted once for each version of the rows. */
export async function runFacts(dataset: ShownDataset, signal: AbortSignal): Promise<RunFacts> {
  const { plan } = await dataset.plan();
  const { state, rows, wanted, progress, history, version } = await dataset.monitor.figures();
  const summary = await summaryOf(dataset);
  if (state !== 'running') await addJournaled(summary, dataset, plan);
  const isReported = state === 'running' && progress !== null;
  const usage = isReported ? { ...usageOf(summary, plan), ...progress.usage } : usageOf(summary, plan);
  const { known: cost, unpriced } = addCosts(usage);
  const [first, last] = [history[0], history.at(-1)];
  await dataset.failures.refresh();
  return {
    state,
    // As on every page, the rows that are made count, before the table has them.
    rows: isReported ? Math.max(rows, progress.rows.done) : rows,
    wanted,
    cost,
    unpriced,
    scores: await dataset.meanScores.get(version, () => meanScores(dataset, signal)),
    failedCells: dataset.failures.cells,
    cells: isReported ? cellsOf(progress) : null,
    elapsedMs: progress?.elapsedMs ?? (first && last && last.at > first.at ? last.at - first.at : null),
    changedAt:
      last?.at ??
      (await stat(dataset.paths.run).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      )),
  };
}

async function meanScores(dataset: ShownDataset, signal: AbortSignal): Promise<RunFacts['scores']> {
  const { plan, columns, scores } = await dataset.plan();
  const { version, total } = await dataset.currentRows();
  const judges = [...new Set(scores.flatMap(({ member }) => member?.column ?? []))];
  if (judges.length === 0 || total === 0) return [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const context = { plan, columns: byName, version, signal };
  const { stats } = await columnStats(dataset.queries, { dataset: dataset.entry.id, columns: judges }, context);
  return scores.flatMap(({ name, member }) => {
    const members = stats.find(({ column }) => column === member?.column)?.members ?? [];
    const mean = members.find(({ path }) => path.join('\n') === member?.path.join('\n'))?.mean ?? null;
    return mean === null ? [] : [{ name, mean }];
  });
}

/** Adds the journaled answers of row groups without a file: those that a killed run has paid for. */
async function addJournaled(summary: RunSummary, dataset: ShownDataset, plan: Plan): Promise<void> {
  const paths = await dataset.askedPaths();
  const open = new Set(await journaledGroups(paths.journals));
  if (open.size === 0) return;
  const made = await batchFiles(paths);
  const left = await markedGroups(paths);
  for (const group of left) open.delete(group);
  summary.addUsage({ usage: await readJournaledUsage(plan, paths, open.difference(groupsIn(made))) });
}

/** What is damaged in the folder. A run that is making it has files that are not whole. */
async function damagesOf(
  dataset: ShownDataset,
  { state, summary, plan }: Pick<Overview, 'state'> & { readonly summary: RunSummary; readonly plan: Plan },
): Promise<Overview['findings']> {
  if (state === 'running') return [];
  const damages = await findDamages(dataset.paths.folder, { plan, summary, registry: dataset.registry });
  const lost = await lostFailures(dataset);
  const all =
    lost === undefined || damages.some((damage) => damage.includes('failures.jsonl')) ? damages : [...damages, lost];
  return all.map((text) => ({ about: 'damaged files', text, count: 1, where: null }));
}

function findingsOf(
  { findings: { toolFailures, toolRecoveries, flaws, droppedTools } }: RunSummary,
  columns: Overview['columns'],
): Overview['findings'] {
  return [
    ...toolFailures.map(({ provider, tool, kind, reason, calls }) => ({
      about: provider === null ? tool : `${provider}/${tool}`,
      text: `tool calls failed, because ${TOOL_FAILURES[kind]}: ${reason}`,
      count: calls,
      where: null,
    })),
    ...toolRecoveries.map(({ column, answers }) => ({
      about: column,
      text: 'answers before which tool calls failed first and succeeded later',
      count: answers,
      where: null,
    })),
    ...flaws.flatMap(({ column, ...counts }) =>
      FLAW_NAMES.filter((flaw) => counts[flaw] > 0).map((flaw) => ({
        about: column,
        text: `answers ${ANSWER_FLAWS[flaw]}`,
        count: counts[flaw],
        where: flawCondition(flaw, columns, column),
      })),
    ),
    ...byReason(droppedTools).map(({ provider, tools, reason }) => ({
      about: tools.length === 1 ? `${provider}/${tools[0]}` : provider,
      text: `${tools.length === 1 ? 'tool' : 'tools'} that no model was offered, because ${reason}`,
      count: tools.length,
      where: null,
    })),
  ];
}

/** The condition of rows whose answer has a flaw: of an empty one its value tells, of a cut one its stored conversation. */
function flawCondition(flaw: AnswerFlaw, columns: Overview['columns'], column: string): Condition | null {
  const own = columns.find(({ name }) => name === column);
  if (flaw === 'empty' && own?.type === 'utf8') return { column, op: 'equals', value: '' };
  const reason = flaw === 'cut' ? 'length' : flaw === 'filtered' ? 'content_filter' : undefined;
  const trace = columns.find(({ of, shown, name }) => of === column && shown === 'conversation' && name !== column);
  if (reason === undefined || !trace) return null;
  return { column: trace.name, op: 'contains', text: `"finish_reason":"${reason}"` };
}

function usageOf(summary: RunSummary, plan: Parameters<RunSummary['costOf']>[0]): Readonly<Record<string, AliasUsage>> {
  const usage = Object.entries(summary.pricedUsage(plan)).map(([alias, counts]) => {
    const { requests, failedRequests, inputTokens, outputTokens, cost } = counts;
    const model = plan.models[alias]?.model ?? alias;
    return [alias, { model, requests, failedRequests, inputTokens, outputTokens, cost }] as const;
  });
  return Object.fromEntries(usage);
}

function toolsOf(summary: RunSummary): Readonly<Record<string, ToolUsage>> {
  const tools = Object.entries(summary.tools).map(([name, { calls, errors, timeouts, latencyMs }]) => {
    return [name, { calls, errors, timeouts, p50: latencyMs.p50, p95: latencyMs.p95 }] as const;
  });
  return Object.fromEntries(tools);
}
