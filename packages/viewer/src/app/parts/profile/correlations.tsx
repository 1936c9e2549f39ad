import type { DatasetProfile } from '@data-designer/profile';
import type { CSSProperties, ReactNode } from 'react';
import { visibleText } from '../../visible-text.ts';

interface CorrelationsProps {
  readonly correlations: NonNullable<DatasetProfile['correlations']>;
}

/** Pearson's r between numeric columns: squares with their number. */
export function Correlations({ correlations: { columns, values } }: CorrelationsProps): ReactNode {
  return (
    <section>
      <h2>Correlations</h2>
      {/* The region scrolls, so a keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Correlations">
        <table className="correlations">
          <thead>
            <tr>
              <th scope="col">Column</th>
              {columns.slice(0, -1).map((name, at) => (
                <th key={name} scope="col" title={name}>
                  {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map((name, row) => (
              <tr key={name}>
                <th scope="row">
                  {row + 1}. {visibleText(name)}
                </th>
                {columns.slice(0, row).map((other, at) => (
                  <Square key={other} r={values[row]?.[at] ?? null} pair={`${name} with ${other}`} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The share of colour in a square of r = 1; more would hide the number. */
const MOST_COLOUR = 45;

function Square({ r, pair }: { readonly r: number | null; readonly pair: string }): ReactNode {
  const strength = r === null ? 0 : Math.round(Math.abs(r) * MOST_COLOUR);
  const style: CSSProperties & Readonly<Record<'--strength', string>> = { '--strength': `${strength}%` };
  return (
    <td className={r !== null && r < 0 ? 'against' : 'along'} style={style} title={pair}>
      {r === null ? '' : r.toFixed(2)}
    </td>
  );
}
