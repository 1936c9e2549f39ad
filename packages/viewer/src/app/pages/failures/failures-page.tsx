import type { ReactNode } from 'react';
import type { FailedRequests, FailureGroup, FailureList } from '../../../api/failures.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams } from '../../filter-params.ts';
import { formatCost, formatCount, pluralize } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';
import { FlawTable } from '../overview/flaw-table.tsx';
import { FailedCells } from './failed-cells.tsx';
import { Refusals } from './refusals.tsx';

/** The failed cells by column, code and cause, and those of the chosen group, or all, with their conversations. */
export function FailuresPage(): ReactNode {
  const { entry, version, overview } = useDataset();
  const source = useSource();
  const { params } = useAddress();
  const { data, error } = useData(`${entry.id} ${version}`, (signal) =>
    source.ask('failures', { dataset: entry.id }, signal),
  );
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Reading the failures…</p>;
  const [column, code, cause] = ['column', 'code', 'cause'].map((name) => params.get(name) ?? undefined);
  const chosen = cause === undefined ? [] : data.groups.filter((group) => isChosen(group, { column, code, cause }));
  const reason = chosen[0]?.message;
  const row = params.has('row') ? Number(params.get('row')) : undefined;
  return (
    <div className="stack">
      <h2>Failures</h2>
      {data.groups.length === 0 && <p className="quiet">No cell failed.</p>}
      {data.lost && <LostRows lost={data.lost} />}
      {data.groups.length > 0 && <Groups groups={data.groups} />}
      <FlawTable overview={overview} />
      {data.refused.length > 0 && <Refused list={data} />}
      {data.failedRequests.groups.length > 0 && <RequestGroups requests={data.failedRequests} />}
      {params.has('refused') ? (
        <Refusals code={params.get('refused') ?? ''} />
      ) : (
        data.groups.length > 0 && <FailedCells wanted={{ column, code, cause, row }} reason={reason} />
      )}
    </div>
  );
}

/** Says how lost rows are made again, or why not. */
function LostRows({ lost: { lost, retriable, stay } }: { readonly lost: NonNullable<FailureList['lost']> }): ReactNode {
  if (retriable) {
    const price = retriable.cost === null ? '' : `, for about ${formatCost(retriable.cost)}`;
    return (
      <p className="notice">
        {`${pluralize(retriable.rows, 'lost row')} can be made again${price}: the same create command with `}
        <code>--resume always --retry-lost</code>.
      </p>
    );
  }
  if (lost === 0) return null;
  return <p className="notice">{`${pluralize(lost, 'lost row')} cannot be made again: ${stay}.`}</p>;
}

const EFFECTS: Readonly<Record<FailureGroup['onFailure'], string>> = {
  drop_row: 'row dropped',
  null: 'cell is null',
  abort: 'run stopped',
};

interface ChosenGroup {
  readonly column: string | undefined;
  readonly code: string | undefined;
  readonly cause: string | undefined;
}

function isChosen(group: FailureGroup, { column, code, cause = group.cause }: ChosenGroup): boolean {
  return group.column === column && group.code === code && group.cause === cause;
}

function Groups({ groups }: { readonly groups: readonly FailureGroup[] }): ReactNode {
  const { params } = useAddress();
  const own = datasetParams(params);
  const [column, code, cause] = ['column', 'code', 'cause'].map((name) => params.get(name) ?? undefined);
  return (
    <ListTable
      caption="Failed cells by column, code and cause"
      headings={['Column', 'Code', 'Cells', 'Effect', 'First message']}
      numeric={[2]}
      texts={[4]}
      rows={groups.map((group) => ({
        key: `${group.column} ${group.code} ${group.onFailure} ${group.cause}`,
        cells: [
          visibleText(group.column),
          <code key="code">{group.code}</code>,
          <Link
            key="cells"
            page="failures"
            params={withParams(own, { column: group.column, code: group.code, cause: group.cause })}
            current={isChosen(group, { column, code, cause })}
          >
            {formatCount(group.cells)}
          </Link>,
          EFFECTS[group.onFailure],
          visibleText(group.message),
        ],
      }))}
    />
  );
}

function RequestGroups({ requests: { groups, total } }: { readonly requests: FailedRequests }): ReactNode {
  const { params } = useAddress();
  const own = datasetParams(params);
  const alias = params.get('alias');
  const shown = groups.filter((one) => (alias ?? one.alias) === one.alias);
  return (
    <section>
      <h2>{alias === null ? 'Failed requests' : visibleText(`Failed requests of ${alias}`)}</h2>
      <p className="quiet small">
        Requests without a usable answer; retries included. Row groups without such a request are left out, and their
        requests with them.
        {total > groups.length && ` The ${groups.length} row groups with the most of them, of ${formatCount(total)}.`}
      </p>
      <ListTable
        caption="Failed requests by row group and model alias"
        headings={['Row group', 'Alias', 'Failed', 'Too many requests', 'Requests of the row group', 'Rows']}
        numeric={[2, 3, 4, 5]}
        rows={shown.map(({ group, alias: name, requests, failed, refused, rows }) => ({
          key: `${group} ${name}`,
          cells: [
            group === null ? 'none' : formatCount(group),
            visibleText(name),
            formatCount(failed),
            formatCount(refused),
            formatCount(requests),
            rows === null || rows.count === 0 ? (
              ''
            ) : (
              <Link key="rows" page="table" params={withParams(own, { at: String(rows.first) })}>
                {formatCount(rows.first)} to {formatCount(rows.first + rows.count - 1)}
              </Link>
            ),
          ],
        }))}
      />
    </section>
  );
}

function Refused({ list: { refused } }: { readonly list: FailureList }): ReactNode {
  const { params } = useAddress();
  const own = datasetParams(params);
  return (
    <section>
      <h2>Refused candidates</h2>
      <ListTable
        caption="Refused candidates by reason"
        headings={['Reason', 'Candidates', 'First message']}
        numeric={[1]}
        texts={[2]}
        rows={refused.map(({ code, rows, message }) => ({
          key: `${code} ${message}`,
          cells: [
            <code key="code">{code}</code>,
            <Link key="rows" page="failures" params={withParams(own, { refused: code })}>
              {formatCount(rows)}
            </Link>,
            visibleText(message),
          ],
        }))}
      />
    </section>
  );
}
