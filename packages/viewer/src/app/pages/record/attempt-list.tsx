import type { ReactNode } from 'react';
import type { RecordedAttempts } from '../../../api/record.ts';
import { pluralize } from '../../format.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';

/** The attempts at a row by each block, the first one first. */
export function AttemptLists({ attempts }: { readonly attempts: readonly RecordedAttempts[] }): ReactNode {
  return attempts.map(({ block, isStored, attempts: made }) => (
    <section key={block} className="card" data-attempts={block}>
      <div className="row spread">
        <h3>Attempts of {visibleText(block)}</h3>
        <span className="quiet small">
          {pluralize(made.length, 'attempt')} {isStored ? 'with values' : 'so far, from the journal'}
        </span>
      </div>
      {made.map(({ number, values }) => (
        <details key={number} className="part" open={made.length <= MAX_OPEN}>
          <summary>Attempt {number}</summary>
          <dl className="fields">
            {values.map(({ column, value }) => (
              <div key={column}>
                <dt>{visibleText(column)}</dt>
                <dd>
                  <ValueView value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  ));
}

/** More attempts are folded at first. */
const MAX_OPEN = 4;
