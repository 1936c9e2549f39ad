import type { ReactNode } from 'react';
import type { Overview } from '../../../api/overview.ts';
import { withParams } from '../../address.ts';
import { datasetParams, filterParams } from '../../filter-params.ts';
import { formatCount } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';

/** Failed tool calls by reason, and answers that are used in spite of a flaw. */
export function FlawTable({ overview: { findings } }: { readonly overview: Overview }): ReactNode {
  const { params } = useAddress();
  if (findings.length === 0) return null;
  const own = datasetParams(params);
  return (
    <section>
      <h2>Failed tool calls and flawed answers</h2>
      <ListTable
        caption="Failed tool calls and flawed answers"
        headings={['Where', 'What', 'Number']}
        numeric={[2]}
        texts={[1]}
        rows={findings.map(({ about, text, count, where }) => ({
          key: `${about} ${text}`,
          cells: [
            visibleText(about),
            visibleText(text),
            where === null ? (
              formatCount(count)
            ) : (
              <Link key="rows" page="table" params={withParams(own, filterParams({ where: [where] }))}>
                {formatCount(count)}
              </Link>
            ),
          ],
        }))}
      />
    </section>
  );
}
