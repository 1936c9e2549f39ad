import { type ReactNode, useState } from 'react';
import type { ColumnInfo } from '../../api/columns.ts';
import { useSource } from '../data/data-source.ts';
import { fullText } from '../data/full-row.ts';
import { messageOf } from '../data/use-data.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { visibleText } from '../visible-text.ts';

/** The texts of edited values, by column. */
export type EditTexts = Readonly<Record<string, string>>;

interface EditedValuesProps {
  readonly index: number;
  readonly texts: EditTexts;
  readonly onChange: (texts: EditTexts) => void;
}

/** The values that a review replaces: a field for each, and a choice of further columns. */
export function EditedValues({ index, texts, onChange }: EditedValuesProps): ReactNode {
  const source = useSource();
  const { entry, columns } = useDataset();
  const [error, setError] = useState<string>();
  const editable = columns.filter(({ kind, name }) => kind !== 'trace' && !Object.hasOwn(texts, name));
  const add = (column: string): void => {
    fullText(source, { dataset: entry.id, index, column }).then(
      (text) => onChange({ ...texts, [column]: text }),
      (thrown: unknown) => setError(messageOf(thrown)),
    );
  };
  const remove = (column: string): void =>
    onChange(Object.fromEntries(Object.entries(texts).filter(([name]) => name !== column)));
  return (
    <div className="stack">
      {Object.entries(texts).map(([column, text]) => (
        <div key={column} className="stack">
          <div className="row spread">
            <span>
              New value of <b>{visibleText(column)}</b>
            </span>
            <button type="button" className="plain" onClick={() => remove(column)}>
              Keep the old value
            </button>
          </div>
          <textarea
            aria-label={`New value of ${column}`}
            rows={Math.min(12, text.split('\n').length + 1)}
            value={text}
            onChange={(event) => onChange({ ...texts, [column]: event.target.value })}
          />
        </div>
      ))}
      <label className="row">
        Edit a value:
        <select value="" onChange={(event) => add(event.target.value)}>
          <option value="">choose a column</option>
          {editable.map(({ name }) => (
            <option key={name} value={name}>
              {visibleText(name)}
            </option>
          ))}
        </select>
      </label>
      {error !== undefined && <p className="notice error">{error}</p>}
    </div>
  );
}

/** The values of the texts as their columns store them; throws for a text that is no JSON where one is needed. */
export function editsOf(texts: EditTexts, columns: readonly ColumnInfo[]): Readonly<Record<string, unknown>> | null {
  const entries = Object.entries(texts).map(([name, text]) => {
    const column = columns.find((one) => one.name === name);
    return [name, column && column.type === 'utf8' && !column.isNested ? text : jsonOf(name, text)] as const;
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function jsonOf(column: string, text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The new value of ${column} is not JSON. Write text in quotation marks.`);
  }
}

/** The texts to edit the values of a review again. */
export function textsOf(edits: Readonly<Record<string, unknown>> | null): EditTexts {
  const entries = Object.entries(edits ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
  ]);
  return Object.fromEntries(entries);
}
