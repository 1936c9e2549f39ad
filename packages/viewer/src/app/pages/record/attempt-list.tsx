import type { ReactNode } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { RecordedAttempt, RecordedAttempts, RecordField } from '../../../api/record.ts';
import { pluralize } from '../../format.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';
import { FieldValue } from './field-value.tsx';

type Infos = ReadonlyMap<string, ColumnInfo>;

interface ListsProps {
  readonly attempts: readonly RecordedAttempts[];
  readonly infos: Infos;
  /** Draws the field of a new value of a column; absent where nothing can be edited. */
  readonly renderEditor?: ((column: string) => ReactNode) | undefined;
}

/** The attempts at a row by each block side by side, the first one first, each with its verdicts. */
export function AttemptLists({ attempts, infos, renderEditor }: ListsProps): ReactNode {
  return attempts.map(({ block, isStored, fields, attempts: made }) => (
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
          <Attempt key={attempt.title} attempt={attempt} infos={infos} />
        ))}
      </div>
      {renderEditor &&
        fields.map((field) => (
          <div key={field} className="row small quiet">
            {visibleText(field)} {renderEditor(field)}
          </div>
        ))}
    </section>
  ));
}

function Attempt({
  attempt: { title, fields },
  infos,
}: {
  readonly attempt: RecordedAttempt;
  readonly infos: Infos;
}): ReactNode {
  return (
    <article className="part">
      <h4>
        {visibleText(title)}
        {fields.map((field) => {
          const verdict = verdictOf(field, infos);
          if (verdict === undefined) return null;
          return (
            <span key={field.column} className={verdict ? 'good' : 'bad'}>
              {' '}
              {verdict ? '✓ passes' : '✗ fails'} {visibleText(field.column)}
            </span>
          );
        })}
      </h4>
      <dl className="fields">
        {fields.map((field) => {
          const info = infos.get(field.column);
          return (
            <div key={field.column}>
              <dt>{visibleText(field.column)}</dt>
              <dd>
                {info ? <FieldValue info={info} field={field} record={undefined} /> : <ValueView value={field.value} />}
              </dd>
            </div>
          );
        })}
      </dl>
    </article>
  );
}

/** The verdict of a validation, or of a column that is true or false; undefined for other values. */
function verdictOf({ column, isValid, value }: RecordField, infos: Infos): boolean | undefined {
  if (isValid !== null) return isValid;
  return infos.get(column)?.type === 'bool' && typeof value === 'boolean' ? value : undefined;
}
