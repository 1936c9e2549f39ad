import type { ReactNode } from 'react';
import type { Overview } from '../../../api/overview.ts';
import { formatCost, formatCount, formatShare } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';

/** The blocks of attempts: accepted rows, the share by attempt and the cost; then why rows have no accepted attempt. */
export function AttemptTables({ overview: { attempts, progress, state } }: { readonly overview: Overview }): ReactNode {
  const blocks = Object.entries((state === 'running' ? progress?.attempts : undefined) ?? attempts);
  if (blocks.length === 0) return null;
  const exhausted = blocks.flatMap(([block, figures]) => figures.exhausted.map((one) => ({ block, ...one })));
  return (
    <section>
      <h2>Attempts</h2>
      <ListTable
        caption="Attempts at rows"
        headings={[
          'Block',
          'Rows',
          'Accepted',
          'Attempts',
          'Failed attempts',
          'Per accepted row',
          'Cost of one',
          'pass@k',
        ]}
        numeric={[1, 2, 3, 4, 5, 6]}
        rows={blocks.map(([block, { rows, accepted, attempts: made, failedAttempts, ...further }]) => ({
          key: block,
          cells: [
            visibleText(block),
            formatCount(rows),
            formatCount(accepted),
            formatCount(made),
            formatCount(failedAttempts),
            further.attemptsPerAccepted?.toFixed(2) ?? '',
            further.costPerAccepted === null ? '' : formatCost(further.costPerAccepted),
            (further.passAt ?? []).map((share, at) => `${at + 1}: ${formatShare(share)}`).join(', '),
          ],
        }))}
      />
      {exhausted.length > 0 && (
        <ListTable
          caption="Rows without an accepted attempt"
          headings={['Block', 'Reason', 'Rows', 'Verdict on the first one']}
          numeric={[2]}
          rows={exhausted.map(({ block, kind, reason, rows, verdict }) => ({
            key: `${block} ${kind} ${reason}`,
            cells: [
              visibleText(block),
              visibleText(`${kind.replace('_', ' ')}${reason === '' ? '' : `: ${reason}`}`),
              formatCount(rows),
              visibleText(verdict),
            ],
          }))}
        />
      )}
    </section>
  );
}
