import type { ReactNode } from 'react';
import type { RefusalsPage } from '../../../api/failures.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams } from '../../filter-params.ts';
import { formatCount } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { lineOf } from '../../parts/cell-text.tsx';
import { Link } from '../../parts/link.tsx';
import { Pager, usePageFrom } from '../../parts/pager.tsx';
import { ValueList } from '../../parts/value-view.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';

const PAGE_REFUSALS = 50;

/** The candidates that a selection refused for one reason. */
export function Refusals({ code }: { readonly code: string }): ReactNode {
  const { entry, version } = useDataset();
  const source = useSource();
  const { params } = useAddress();
  const from = usePageFrom();
  const { data, error } = useData(`${entry.id} ${version} ${code} ${from}`, (signal) =>
    source.ask('refusals', { dataset: entry.id, code, from, count: PAGE_REFUSALS }, signal),
  );
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Reading the refused candidates…</p>;
  return (
    <section className="stack">
      {data.note !== null && <p className="quiet">{visibleText(data.note)}</p>}
      {data.refusals.length > 0 && (
        <ListTable
          caption="Refused candidates"
          headings={['Candidate', 'Message', 'Similar to', 'Values']}
          texts={[1, 3]}
          rows={data.refusals.map(({ row, message, similarTo, values }) => ({
            key: String(row),
            cells: [
              formatCount(row),
              visibleText(message),
              similarTo === null ? (
                ''
              ) : (
                <Link key="row" page="record" row={similarTo} params={datasetParams(params)}>
                  Row {formatCount(similarTo)}
                </Link>
              ),
              values === null ? '' : <Values key="values" values={values} />,
            ],
          }))}
        />
      )}
      <Pager from={from} count={PAGE_REFUSALS} total={data.total} />
    </section>
  );
}

type Refusal = RefusalsPage['refusals'][number];

/** The values of a refused candidate, the first ones in the line and all of them below it. */
function Values({ values }: { readonly values: NonNullable<Refusal['values']> }): ReactNode {
  return (
    <details>
      <summary>
        {values
          .slice(0, 3)
          .map(({ value }) => short(lineOf(value)))
          .join(' · ')}
      </summary>
      <ValueList values={values.map(({ column, value }) => ({ name: column, value }))} />
    </details>
  );
}

const SHORT = 40;

function short(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
