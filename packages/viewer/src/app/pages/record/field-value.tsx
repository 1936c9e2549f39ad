import type { ReactNode } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { RecordField } from '../../../api/record.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Conversation } from '../../parts/conversation.tsx';
import { MediaView } from '../../parts/media-view.tsx';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';
import { ProgramRuns } from './program-runs.tsx';

/** A field of a record with its column. */
export interface ShownField {
  readonly info: ColumnInfo;
  readonly field: RecordField;
  /** Where the rest of a cut value is; undefined for values that no request can find. */
  readonly record: { readonly dataset: string; readonly index: number } | undefined;
}

/** The value of a field, drawn as its column says. */
export function FieldValue({ info, field, record }: ShownField): ReactNode {
  const { value, media, scores, isValid, column, programs = [] } = field;
  if (scores.length > 0) return <Scores scores={scores} />;
  if (programs.length > 0) return <ProgramRuns programs={programs} />;
  const { language } = info;
  const drawCode = (code: string): ReactNode => <CodeBlock code={code} language={language ?? ''} />;
  const isConversation = typeof value === 'object' && value?.as === 'conversation';
  return (
    <>
      {isValid !== null && (
        <p className={isValid ? 'good' : 'bad'}>
          <strong>{isValid ? 'valid' : 'invalid'}</strong>
        </p>
      )}
      {isConversation && (
        <Conversation
          page={field.conversation ?? { column, total: value.messages, from: 0, messages: [] }}
          record={record}
        />
      )}
      {!isConversation && media.length === 0 && (
        <ValueView
          value={value}
          rest={record && { ...record, column }}
          draw={info.shown === 'code' ? drawCode : undefined}
        />
      )}
      <MediaView media={media} />
    </>
  );
}

function Scores({ scores }: { readonly scores: RecordField['scores'] }): ReactNode {
  return (
    <table className="list-table scores">
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col">Value</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {scores.map(({ name, score, reasoning }) => (
          <tr key={name}>
            <th scope="row">{visibleText(name)}</th>
            <td>
              <ValueView value={score} />
            </td>
            <td className="text">{visibleText(reasoning)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
