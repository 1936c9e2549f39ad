import type { RequestOf } from '../../../api/requests.ts';
import type { ReactNode } from 'react';
import type { AnswerSource, AnswerText, ModelAnswer } from '../../../api/record.ts';
import { pluralize } from '../../format.ts';
import { Conversation } from '../../parts/conversation.tsx';
import { drawPrompt, LongText } from '../../parts/long-text.tsx';
import { visibleText } from '../../visible-text.ts';
import { FieldValue, type ShownField } from './field-value.tsx';
import { compareAnswer } from './same-answer.ts';

/** Longer conversations are folded at first. */
const MAX_OPEN_MESSAGES = 12;

interface ModelCellProps extends ShownField {
  readonly answer: ModelAnswer;
  /** The field of a new value, next to the value that it replaces. */
  readonly editor: ReactNode;
}

/** The value of a model column next to the raw answer, with the prompt and the conversation. */
export function ModelCell(props: ModelCellProps): ReactNode {
  const { answer, record, editor } = props;
  const { prompt, raw, conversation } = answer;
  const compared = raw.text === null ? 'different' : compareAnswer(props.field.value, raw.text);
  const restOf: RestOf = ({ message }) =>
    conversation === null || message === undefined || record === undefined
      ? undefined
      : { ...record, column: conversation.column, message };
  return (
    <div className="stack">
      {raw.source === 'not-stored' ? (
        <>
          <FieldValue {...props} />
          {editor}
          <p className="quiet small">{visibleText(raw.note ?? 'The raw answer is not stored.')}</p>
        </>
      ) : compared !== 'different' ? (
        <div>
          <h4>
            Answer <SourceMark source={raw.source} />
          </h4>
          <FieldValue {...props} />
          {editor}
          {compared === 'same data' && (
            <details className="as-written">
              <summary className="quiet">As the model wrote it</summary>
              <Part part={raw} restOf={restOf} />
            </details>
          )}
        </div>
      ) : (
        <div className="side-by-side">
          <div>
            <h4>Parsed</h4>
            <FieldValue {...props} />
            {editor}
          </div>
          <div>
            <h4>
              Raw answer <SourceMark source={raw.source} />
            </h4>
            <Part part={raw} restOf={restOf} />
          </div>
        </div>
      )}
      <details className="part" open={conversation === null}>
        <summary>
          Prompt <SourceMark source={prompt.source} />
        </summary>
        {prompt.system !== null && (
          <>
            <h4>System</h4>
            <LongText cut={prompt.system} rest={restOf(prompt.system)} />
            <h4>User</h4>
          </>
        )}
        <Part part={prompt} restOf={restOf} draw={drawPrompt} />
      </details>
      {conversation !== null && (
        <details className="part" open={conversation.total <= MAX_OPEN_MESSAGES}>
          <summary>Conversation ({pluralize(conversation.total, 'message')})</summary>
          <Conversation page={conversation} record={record} />
        </details>
      )}
    </div>
  );
}

const SOURCES: Readonly<Record<AnswerSource, string>> = {
  trace: 'from the trace',
  journal: 'from the journal',
  rendered: 'rendered again from the plan and this row',
  'not-stored': 'not stored',
};

function SourceMark({ source }: { readonly source: AnswerSource }): ReactNode {
  return <span className={source === 'rendered' ? 'warn small' : 'quiet small'}>({SOURCES[source]})</span>;
}

/** How to load the rest of a text; undefined where only its beginning is known. */
type RestOf = (text: AnswerText) => Omit<RequestOf<'text'>, 'from' | 'count'> | undefined;

interface PartProps {
  readonly part: { readonly text: AnswerText | null; readonly note: string | null };
  readonly restOf: RestOf;
  readonly draw?: (text: string) => ReactNode;
}

function Part({ part: { text, note }, restOf, draw }: PartProps): ReactNode {
  return (
    <>
      {text !== null && <LongText cut={text} rest={restOf(text)} draw={draw} />}
      {note !== null && <p className="quiet small">{visibleText(note)}</p>}
    </>
  );
}
