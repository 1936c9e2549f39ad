import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { Filter } from '../../../api/filter.ts';
import { useSource } from '../../data/data-source.ts';
import { messageOf } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { describeCondition, nameOf } from '../../filter-params.ts';
import { pluralize } from '../../format.ts';
import { KIND_WORDS } from '../../../review-kinds.ts';
import { ReviewFilter } from '../../reviews/review-filter.tsx';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import type { TableState } from './use-table-state.ts';

interface FilterBarProps {
  readonly state: TableState;
  readonly total: number | undefined;
  readonly isWaiting: boolean;
}

/** The search, the SQL condition and the conditions in force. */
export function FilterBar({ state, total, isWaiting }: FilterBarProps): ReactNode {
  const search = useRef<HTMLInputElement>(null);
  const { hasSql, hasReviews } = useSource();
  useKeys({ '/': () => search.current?.select() });
  return (
    <div className="filter-bar">
      <div className="row">
        <SearchField
          ref={search}
          value={state.filter.search ?? ''}
          onChange={(text) => state.changeFilter({ search: text || undefined }, true)}
        />
        {hasSql ? (
          <SqlField
            key={state.filter.sql}
            filter={state.filter}
            onChange={(sql) => state.changeFilter({ sql: sql || undefined })}
          />
        ) : (
          <span className="quiet small">
            SQL conditions need <code>data-designer view</code>
          </span>
        )}
        {hasReviews && (
          <ReviewFilter value={state.filter.review} onChange={(review) => state.changeFilter({ review })} />
        )}
        <output className="row-count" aria-busy={isWaiting}>
          {total === undefined ? (isWaiting ? waitingText(state.filter) : '…') : pluralize(total, 'row')}
        </output>
      </div>
      <Chips state={state} />
    </div>
  );
}

/** What takes so long: a search reads all rows. */
function waitingText({ sort = [], ...rows }: Filter): string {
  if (Object.keys(rows).length > 0) return 'searching…';
  return sort.length > 0 ? 'sorting…' : '…';
}

const TYPING_MS = 250;

interface FieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Applies the text a moment after the last key. */
function SearchField({ value, onChange, ref }: FieldProps & { readonly ref: React.Ref<HTMLInputElement> }): ReactNode {
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined || typed === value) return undefined;
    const soon = setTimeout(() => {
      onChange(typed);
      setTyped(undefined);
    }, TYPING_MS);
    return () => clearTimeout(soon);
  });
  return (
    <input
      ref={ref}
      type="search"
      className="search"
      aria-label="Search in all columns"
      placeholder="Search in all columns ( / )"
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

interface SqlProps extends Pick<FieldProps, 'onChange'> {
  /** The filter that the condition becomes a part of. */
  readonly filter: Filter;
}

/** A condition becomes part of the filter once the server has used it: a wrong one would make all further filters wrong. */
function SqlField({ filter, onChange }: SqlProps): ReactNode {
  const source = useSource();
  const { entry } = useDataset();
  const id = useId();
  const [text, setText] = useState(filter.sql ?? '');
  const [error, setError] = useState<string>();
  const asked = useRef<AbortController>(undefined);
  useEffect(() => () => asked.current?.abort(), []);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    asked.current?.abort();
    setError(undefined);
    const sql = text.trim();
    if (sql === '') return onChange('');
    const asking = (asked.current = new AbortController());
    const request = { dataset: entry.id, filter: { ...filter, sql }, from: 0, count: 1, columns: [] };
    source.ask('rows', request, asking.signal).then(
      () => asking.signal.aborted || onChange(sql),
      (thrown: unknown) => asking.signal.aborted || setError(messageOf(thrown)),
    );
  };
  return (
    <form className="sql row" onSubmit={onSubmit}>
      <input
        className="mono"
        aria-label="SQL condition"
        placeholder="SQL condition, such as score > 3"
        spellCheck={false}
        value={text}
        aria-invalid={error !== undefined}
        aria-describedby={id}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
      />
      <button type="submit">Apply</button>
      <span id={id} role="alert" className="small bad">
        {error !== undefined && `${visibleText(error)} The filter stays as it is.`}
      </span>
    </form>
  );
}

/** Each part of the filter with a button that removes it. */
function Chips({ state }: { readonly state: TableState }): ReactNode {
  const { search, sql, model, tool, failedTool, where = [], sort = [], review } = state.filter;
  const chips: readonly (readonly [label: string, remove: () => void])[] = [
    ...(search === undefined
      ? []
      : [[`contains “${search}”`, () => state.changeFilter({ search: undefined })] as const]),
    ...(sql === undefined ? [] : [[`SQL: ${sql}`, () => state.changeFilter({ sql: undefined })] as const]),
    ...(model === undefined
      ? []
      : [[`made by the model ${model}`, () => state.changeFilter({ model: undefined })] as const]),
    ...(tool === undefined ? [] : [[`calls the tool ${tool}`, () => state.changeFilter({ tool: undefined })] as const]),
    ...(failedTool === undefined
      ? []
      : [[`a call of the tool ${failedTool} failed`, () => state.changeFilter({ failedTool: undefined })] as const]),
    ...(review === undefined
      ? []
      : [[`review: ${KIND_WORDS[review]}`, () => state.changeFilter({ review: undefined })] as const]),
    ...where.map((one) => [describeCondition(one), () => state.addCondition(one)] as const),
    ...sort.map(
      (one) =>
        [
          `sorted by ${nameOf(one)}${one.descending ? ', descending' : ''}`,
          () => state.changeFilter({ sort: sort.filter((other) => other !== one) }),
        ] as const,
    ),
  ];
  // The line keeps its place, so that nothing moves under the mouse that removes the last part.
  if (chips.length === 0)
    return (
      <ul className="chips no-chips" aria-label="Filter">
        <li className="bare quiet small">No filter</li>
      </ul>
    );
  return (
    <ul className="chips" aria-label="Filter">
      {chips.map(([label, remove]) => (
        <li key={label}>
          <span className="chip-label">{visibleText(label)}</span>
          <button type="button" className="plain" aria-label={`Remove: ${label}`} onClick={remove}>
            ×
          </button>
        </li>
      ))}
      <li className="bare">
        <button
          type="button"
          className="plain"
          onClick={() =>
            state.changeFilter({
              search: undefined,
              sql: undefined,
              model: undefined,
              tool: undefined,
              failedTool: undefined,
              where: undefined,
              sort: undefined,
              review: undefined,
            })
          }
        >
          Clear all
        </button>
      </li>
    </ul>
  );
}
