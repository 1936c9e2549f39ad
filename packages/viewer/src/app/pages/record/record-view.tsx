import type { ReactNode } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { ModelAnswer, ShownRecord } from '../../../api/record.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';
import { KIND_TITLES } from '../table/column-layout.ts';
import { AttemptLists } from './attempt-list.tsx';
import { FieldValue, type ShownField } from './field-value.tsx';
import { ModelCell } from './model-cell.tsx';

interface RecordProps {
  readonly dataset: string;
  readonly answer: ShownRecord;
  readonly columns: readonly ColumnInfo[];
}

const PLAIN_KINDS = ['seed', 'sampler', 'expression', 'other'] as const;

/** A record: plain values first, then each model column with its prompt, answer and conversation, then verdicts. */
export function RecordView({ dataset, answer, columns }: RecordProps): ReactNode {
  const infos = new Map(columns.map((info) => [info.name, info]));
  const record = { dataset, index: answer.index };
  const shown: readonly ShownField[] = answer.fields.flatMap((field) => {
    const info = infos.get(field.column);
    return info === undefined ? [] : [{ info, field, record }];
  });
  const asked = new Map(answer.answers.map((one) => [one.column, one]));
  // The conversation of a column is part of the column's card.
  const isOwn = ({ info }: ShownField): boolean => info.shown !== 'conversation' || !asked.has(info.of);
  const cards = shown.filter((one) => !PLAIN_KINDS.some((kind) => kind === one.info.kind) && isOwn(one));
  return (
    <div className="record">
      {PLAIN_KINDS.map((kind) => (
        <PlainFields key={kind} title={KIND_TITLES[kind]} fields={shown.filter(({ info }) => info.kind === kind)} />
      ))}
      {cards.map((one) => (
        <FieldCard key={one.info.name} {...one} answer={asked.get(one.info.name)} />
      ))}
      <AttemptLists attempts={answer.attempts ?? []} />
      {answer.processed.map(({ processor, fields }) => (
        <section key={processor} className="card">
          <h3>Output of the processor {visibleText(processor)}</h3>
          <dl className="fields">
            {fields.map((field) => (
              <div key={field.column}>
                <dt>{visibleText(field.column)}</dt>
                <dd>
                  <ValueView value={field.value} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function PlainFields({ title, fields }: { readonly title: string; readonly fields: readonly ShownField[] }): ReactNode {
  if (fields.length === 0) return null;
  const kind = fields[0]?.info.kind ?? 'other';
  return (
    <section className="card">
      <h3 className={`kind-${kind}`}>{title}</h3>
      <dl className="fields">
        {fields.map((one) => (
          <div key={one.info.name}>
            <dt>{visibleText(one.info.name)}</dt>
            <dd>
              <FieldValue {...one} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The card of a column that a model, a judge or a validation fills. */
function FieldCard(props: ShownField & { readonly answer: ModelAnswer | undefined }): ReactNode {
  const { info, answer } = props;
  const facts = [info.columnType, answer?.modelAlias, answer?.model].filter(
    (fact) => fact !== undefined && fact !== '',
  );
  return (
    <section className="card" data-column={info.name}>
      <div className="row spread">
        <h3 className={`kind-${info.kind}`}>{visibleText(info.name)}</h3>
        <span className="quiet small">{visibleText(facts.join(' · '))}</span>
      </div>
      {answer === undefined ? <FieldValue {...props} /> : <ModelCell {...props} answer={answer} />}
    </section>
  );
}
