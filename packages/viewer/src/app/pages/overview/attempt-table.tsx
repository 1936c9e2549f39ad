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
            shares(further.passAt ?? []),
          ],
        }))}
      />
      {exhausted.length > 0 && (
        <ListTable
          caption="Rows without an accepted attempt"
          headings={['Block', 'Reason', 'Rows', 'Verdict on the first one']}
          numeric={[2]}
          texts={[1, 3]}
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

/** A block with more attempts shows the shares of some: 1, 2, 4, 8 and so on, and the last one. */
const MOST_SHARES = 8;

function shares(passAt: readonly number[]): string {
  const isShown = (attempt: number): boolean =>
    passAt.length <= MOST_SHARES || attempt === passAt.length || Number.isInteger(Math.log2(attempt));
  return passAt.flatMap((share, at) => (isShown(at + 1) ? [`${at + 1}: ${formatShare(share)}`] : [])).join(', ');
}
