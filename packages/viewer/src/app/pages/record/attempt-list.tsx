import type { ReactNode } from 'react';
import type { Cell } from '../../../api/cells.ts';
import type { RecordedAttempt, RecordedAttempts } from '../../../api/record.ts';
import { pluralize } from '../../format.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';

/** The attempts at a row by each block side by side, the first one first, each with its verdicts. */
export function AttemptLists({ attempts }: { readonly attempts: readonly RecordedAttempts[] }): ReactNode {
  return attempts.map(({ block, isStored, attempts: made }) => (
    <section key={block} className="card" data-attempts={block}>
      <div className="row spread">
        <h3>Attempts of {visibleText(block)}</h3>
        <span className="quiet small">
          {pluralize(made.length, 'attempt')} {isStored ? 'with values' : 'so far, from the journal'}
        </span>
      </div>
      {/* The region scrolls, so a keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scroll-x attempts" tabIndex={0} role="region" aria-label={`Attempts of ${block}`}>
        {made.map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </div>
    </section>
  ));
}

function Attempt({ attempt: { number, values } }: { readonly attempt: RecordedAttempt }): ReactNode {
  const verdicts = values.flatMap(({ column, value }) => {
    const isValid = verdictIn(value);
    return isValid === undefined ? [] : [{ column, isValid }];
  });
  return (
    <article className="part">
      <h4>
        Attempt {number}
        {verdicts.map(({ column, isValid }) => (
          <span key={column} className={isValid ? 'good' : 'bad'}>
            {' '}
            {isValid ? '✓ passes' : '✗ fails'} {visibleText(column)}
          </span>
        ))}
      </h4>
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
    </article>
  );
}

/** The verdict of a validation; undefined for other values. */
function verdictIn(value: Cell): boolean | undefined {
  if (typeof value !== 'object' || value?.as !== 'struct') return undefined;
  const [, isValid] = value.members.find(([name]) => name === 'is_valid') ?? [];
  return typeof isValid === 'boolean' ? isValid : undefined;
}
