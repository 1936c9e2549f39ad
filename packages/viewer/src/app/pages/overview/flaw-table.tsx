import type { ReactNode } from 'react';
import type { Overview } from '../../../api/overview.ts';
import { formatCount } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';

/** Failed tool calls by reason, and answers that are used in spite of a flaw. */
export function FlawTable({ overview: { findings } }: { readonly overview: Overview }): ReactNode {
  if (findings.length === 0) return null;
  return (
    <section>
      <h2>Failed tool calls and flawed answers</h2>
      <ListTable
        caption="Failed tool calls and flawed answers"
        headings={['Where', 'What', 'Number']}
        numeric={[2]}
        rows={findings.map(({ about, text, count }) => ({
          key: `${about} ${text}`,
          cells: [visibleText(about), visibleText(text), formatCount(count)],
        }))}
      />
    </section>
  );
}
