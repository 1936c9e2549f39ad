import { type ReactNode, useState } from 'react';
import { useSource } from '../data/data-source.ts';
import { fullText } from '../data/full-row.ts';
import { messageOf } from '../data/use-data.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { visibleText } from '../visible-text.ts';
import { useReviews } from './use-reviews.tsx';

/** The event of a value whose field could not open. */
export const NOT_EDITED = 'value-not-edited';

interface EditedValueProps {
  readonly index: number;
  readonly column: string;
  readonly hash: string | null;
  /** Whether a model wrote the column as text. */
  readonly isText: boolean;
}

/** The new value of a column in the review of a row: a button that begins one, or its field. */
export function EditedValue({ index, column, hash, isText }: EditedValueProps): ReactNode {
  const source = useSource();
  const store = useReviews();
  const { entry } = useDataset();
  const [error, setError] = useState<string>();
  const [isBegun, setIsBegun] = useState(false);
  const text = store.formOf(index, hash).texts[column];
  const change = (changed: string | undefined): void => {
    const form = store.formOf(index, hash);
    const others = Object.entries(form.texts).filter(([name]) => name !== column);
    const texts = Object.fromEntries(changed === undefined ? others : [...others, [column, changed]]);
    store.change(index, { ...form, texts });
  };
  const begin = (): void => {
    fullText(source, { dataset: entry.id, index, column }).then(
      (original) => {
        const form = store.formOf(index, hash);
        setIsBegun(true);
        store.change(index, {
          ...form,
          texts: { ...form.texts, [column]: original },
          originals: { ...form.originals, [column]: original },
        });
      },
      (thrown: unknown) => {
        setError(messageOf(thrown));
        dispatchEvent(new Event(NOT_EDITED));
      },
    );
  };
  if (text === undefined) {
    return (
      <>
        <button
          type="button"
          className="plain small edit-value"
          data-text={isText ? column : undefined}
          onClick={begin}
          aria-label={`Edit ${column}`}
          title="e"
        >
          Edit
        </button>
        {error !== undefined && <span className="bad">{error}</span>}
      </>
    );
  }
  return (
    <div className="stack edited-value">
      <div className="row spread small">
        <span>New value of {visibleText(column)}</span>
        <button type="button" className="plain" onClick={() => change(undefined)}>
          Keep the old value
        </button>
      </div>
      <textarea
        // The reviewer asked for the field to write in it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={isBegun}
        onFocus={({ currentTarget }) => {
          if (!isBegun) return;
          currentTarget.setSelectionRange(text.length, text.length);
          setIsBegun(false);
        }}
        aria-label={`New value of ${column}`}
        data-text={isText ? column : undefined}
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
}
