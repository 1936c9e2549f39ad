import type { ReactNode } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { TracePage } from '../../../api/conversation.ts';
import type { ModelAnswer, RecordedState, ShownRecord } from '../../../api/record.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';
import { KIND_TITLES } from '../table/column-layout.ts';
import { AttemptLists } from './attempt-list.tsx';
import { FieldValue, type ShownField } from './field-value.tsx';
import { ModelCell } from './model-cell.tsx';
import { StateView } from './state-view.tsx';

interface RecordProps {
  readonly dataset: string;
  readonly answer: ShownRecord;
  readonly columns: readonly ColumnInfo[];
  /** Draws the field of a new value of a column; absent where nothing can be edited. */
  readonly renderEditor?: ((column: string) => ReactNode) | undefined;
}

const PLAIN_KINDS = ['seed', 'sampler', 'expression', 'other'] as const;

/** A record: plain values first, then each model column with its prompt, answer and conversation, then verdicts. */
export function RecordView({ dataset, answer, columns, renderEditor }: RecordProps): ReactNode {
  const infos = new Map(columns.map((info) => [info.name, info]));
  const record = { dataset, index: answer.index };
  const shown: readonly ShownField[] = answer.fields.flatMap((field) => {
    const info = infos.get(field.column);
    return info === undefined ? [] : [{ info, field, record }];
  });
  const asked = new Map(answer.answers.map((one) => [one.column, one]));
  // The conversation of a column is part of the column's card.
  const isOwn = ({ info }: ShownField): boolean => info.shown !== 'conversation' || !asked.has(info.of);
  const states = Map.groupBy(answer.states ?? [], ({ field }) => field);
  const { attempts = [] } = answer;
  const ofAttempts = new Set(attempts.flatMap(({ fields }) => fields));
  const others = shown.filter(({ info }) => !ofAttempts.has(info.name));
  const isPlain = ({ info }: ShownField): boolean =>
    PLAIN_KINDS.some((kind) => kind === info.kind) && !states.has(info.name);
  const cards = others.filter((one) => !isPlain(one) && isOwn(one));
  return (
    <div className="record">
      {PLAIN_KINDS.map((kind) => (
        <PlainFields
          key={kind}
          title={KIND_TITLES[kind]}
          renderEditor={renderEditor}
          fields={others.filter((one) => isPlain(one) && one.info.kind === kind)}
        />
      ))}
      {cards.map((one) => (
        <FieldCard
          key={one.info.name}
          {...one}
          answer={asked.get(one.info.name)}
          states={states.get(one.info.name) ?? []}
          conversation={asked.get(one.info.of)?.conversation ?? null}
          editor={one.info.kind === 'trace' ? undefined : renderEditor?.(one.info.name)}
        />
      ))}
      <AttemptLists attempts={attempts} infos={infos} renderEditor={renderEditor} />
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

interface PlainProps extends Pick<RecordProps, 'renderEditor'> {
  readonly title: string;
  readonly fields: readonly ShownField[];
}

function PlainFields({ title, fields, renderEditor }: PlainProps): ReactNode {
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
              {renderEditor?.(one.info.name)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface CardProps extends ShownField {
  readonly answer: ModelAnswer | undefined;
  /** The states that the field has. */
  readonly states: readonly RecordedState[];
  /** The conversation of the column that wrote the field. */
  readonly conversation: TracePage | null;
  readonly editor: ReactNode;
}

/** The card of a column that a model, a judge or a validation fills. */
function FieldCard(props: CardProps): ReactNode {
  const { info, answer, states, conversation } = props;
  const facts = [
    states.length > 0 ? `state of ${states.map(({ environment }) => environment).join(', ')}` : info.columnType,
    answer?.modelAlias,
    answer?.model,
  ].filter((fact) => fact !== undefined && fact !== '');
  return (
    <section className="card" data-column={info.name}>
      <div className="row spread">
        <h3 className={`kind-${info.kind}`}>{visibleText(info.name)}</h3>
        <span className="quiet small">{visibleText(facts.join(' · '))}</span>
      </div>
      {states.map((state) => (
        <StateView key={state.environment} state={state} conversation={conversation} />
      ))}
      {answer === undefined ? (
        <>
          {states.length === 0 && <FieldValue {...props} />}
          {props.editor}
        </>
      ) : (
        <ModelCell {...props} answer={answer} />
      )}
    </section>
  );
}
