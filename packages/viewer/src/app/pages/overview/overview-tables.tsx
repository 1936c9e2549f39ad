import type { ReactNode } from 'react';
import type { Filter } from '../../../api/filter.ts';
import type { AliasUsage, Overview } from '../../../api/overview.ts';
import { withParams } from '../../address.ts';
import { datasetParams, filterParams } from '../../filter-params.ts';
import { formatCost, formatCount, formatMs, formatSeconds } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';

interface TableProps {
  readonly overview: Overview;
}

interface RowsLinkProps {
  readonly filter: Pick<Filter, 'model' | 'tool' | 'failedTool'>;
  readonly children: ReactNode;
}

/** A figure that leads to its rows. */
function RowsLink({ filter, children }: RowsLinkProps): ReactNode {
  const { params } = useAddress();
  return (
    <Link page="table" params={withParams(datasetParams(params), filterParams(filter))}>
      {children}
    </Link>
  );
}

function LiveLink({ children }: { readonly children: ReactNode }): ReactNode {
  const { params } = useAddress();
  return (
    <Link page="live" params={datasetParams(params)}>
      {children}
    </Link>
  );
}

/** The models at work: requests against the limit, waiting requests and pauses. */
export function ModelTable({ overview: { progress, state } }: TableProps): ReactNode {
  if (progress === null || progress.models.length === 0 || state !== 'running') return null;
  return (
    <section>
      <h2>Models</h2>
      <ListTable
        caption="Models at work"
        headings={['Model', 'Aliases', 'In flight', 'Limit', 'Waiting', 'Pause']}
        numeric={[2, 3, 4]}
        rows={progress.models.map(({ model, aliases, inFlight, limit, waiting, pausedMs }) => ({
          key: model,
          cells: [
            visibleText(model),
            aliases.map((alias, at) => (
              <span key={alias}>
                {at > 0 && ', '}
                <RowsLink filter={{ model: alias }}>{visibleText(alias)}</RowsLink>
              </span>
            )),
            <LiveLink key="live">{formatCount(inFlight)}</LiveLink>,
            formatCount(limit),
            <LiveLink key="waiting">{formatCount(waiting)}</LiveLink>,
            pausedMs > 0 ? <span className="warn">{formatSeconds(pausedMs / 1000)}</span> : 'none',
          ],
        }))}
      />
    </section>
  );
}

/** The machines of a run on several machines. */
export function MachineTable({ overview: { progress, state } }: TableProps): ReactNode {
  const machines = state === 'running' ? (progress?.machines ?? []) : [];
  if (machines.length === 0) return null;
  return (
    <section>
      <h2>Machines</h2>
      <ListTable
        caption="Machines at work"
        headings={['Machine', 'Process', 'Row groups', 'Rows', 'In flight', 'Role']}
        numeric={[1, 2, 3, 4]}
        rows={machines.map(({ id, host, pid, groups, rows, inFlight, isCoordinator }) => ({
          key: id,
          cells: [
            visibleText(host),
            String(pid),
            formatCount(groups),
            formatCount(rows),
            formatCount(inFlight),
            isCoordinator ? 'coordinates the run' : 'makes rows',
          ],
        }))}
      />
    </section>
  );
}

/** The usage of model aliases up to now: as the run reports it, or from the files once no run is at work. */
export function usageSoFar({ usage, progress, state }: Overview): ReadonlyMap<string, Omit<AliasUsage, 'model'>> {
  const now = state === 'running' && progress !== null ? progress.usage : {};
  return new Map(Object.entries({ ...usage, ...now }));
}

/** The model of an alias; the run at work names it before its first row group is finished. */
function modelOf({ usage, progress }: Overview, alias: string): string {
  const atWork = progress?.models.find(({ aliases }) => aliases.includes(alias))?.model ?? '';
  return usage[alias]?.model ?? atWork.slice(atWork.indexOf('/') + 1);
}

/** Requests, tokens and cost by model alias; the figures lead to the rows for which the alias was asked. */
export function UsageTable({ overview }: TableProps): ReactNode {
  const { params } = useAddress();
  const usage = usageSoFar(overview);
  if (usage.size === 0) return null;
  return (
    <section>
      <h2>Usage</h2>
      <p className="quiet small">
        Requests of all attempts: a failed request is tried again, and only a cell that no attempt fills is a failed
        cell.
      </p>
      <ListTable
        caption="Usage by model alias"
        headings={['Alias', 'Model', 'Requests', 'Failed requests', 'Tokens read', 'Tokens written', 'Cost']}
        numeric={[2, 3, 4, 5, 6]}
        rows={Array.from(usage, ([alias, used]) => {
          const toRows = (figure: string): ReactNode => <RowsLink filter={{ model: alias }}>{figure}</RowsLink>;
          return {
            key: alias,
            cells: [
              visibleText(alias),
              visibleText(modelOf(overview, alias)),
              toRows(formatCount(used.requests)),
              used.failedRequests === 0 ? (
                '0'
              ) : (
                <Link key="failed" page="failures" params={withParams(datasetParams(params), { alias })}>
                  {formatCount(used.failedRequests)}
                </Link>
              ),
              toRows(formatCount(used.inputTokens)),
              toRows(formatCount(used.outputTokens)),
              toRows(used.cost === null ? 'no price' : formatCost(used.cost)),
            ],
          };
        })}
      />
    </section>
  );
}

/** Calls of tools with their errors and latency; they lead to the rows whose stored conversations have the calls. */
export function ToolTable({ overview: { tools, columns } }: TableProps): ReactNode {
  const names = Object.entries(tools);
  if (names.length === 0) return null;
  const isTraced = columns.some(({ shown }) => shown === 'conversation');
  const toRows = (count: number, filter: RowsLinkProps['filter']): ReactNode =>
    isTraced && count > 0 ? <RowsLink filter={filter}>{formatCount(count)}</RowsLink> : formatCount(count);
  return (
    <section>
      <h2>Tools</h2>
      <ListTable
        caption="Tools"
        headings={['Tool', 'Calls', 'Errors', 'Timeouts', 'Median latency', '95th percentile']}
        numeric={[1, 2, 3, 4, 5]}
        rows={names.map(([name, { calls, errors, timeouts, p50, p95 }]) => {
          const tool = name.slice(name.indexOf('/') + 1);
          return {
            key: name,
            cells: [
              visibleText(name),
              toRows(calls, { tool }),
              toRows(errors, { failedTool: tool }),
              toRows(timeouts, { failedTool: tool }),
              latency(p50),
              latency(p95),
            ],
          };
        })}
      />
    </section>
  );
}

function latency(ms: number | null): string {
  return ms === null ? '' : formatMs(ms);
}

/** The reasons for lost rows: those of finished row groups; before that, the most frequent ones that the run reported. */
export function lossesOf({ lost, progress, state }: Overview): Overview['lost'] {
  const isReported = progress !== null && (state === 'running' || lost.length === 0);
  return isReported ? progress.failures : lost;
}

/** Why rows are missing; each reason leads to its failed cells. */
export function LossTable({ overview }: TableProps): ReactNode {
  const { params } = useAddress();
  const lost = lossesOf(overview);
  if (lost.length === 0) return null;
  const own = datasetParams(params);
  return (
    <section>
      <h2>Lost rows</h2>
      <ListTable
        caption="Lost rows by reason"
        headings={['Column', 'Reason', 'Rows', 'First message']}
        numeric={[2]}
        texts={[3]}
        rows={lost.map(({ column, code, cause, rows, message }) => ({
          key: `${column} ${code} ${cause ?? ''}`,
          cells: [
            visibleText(column),
            <code key="code">{code}</code>,
            <Link key="rows" page="failures" params={withParams(own, { column, code, cause })}>
              {formatCount(rows)}
            </Link>,
            visibleText(message),
          ],
        }))}
      />
    </section>
  );
}
