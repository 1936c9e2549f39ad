import type { ReactNode } from 'react';

/** A figure with its name; a null value is left out. */
export type Fact = readonly [name: string, value: ReactNode];

/** Figures side by side. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A row of a table; its first cell is its heading. */
export interface ListRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
}

interface ColumnProps {
  readonly headings: readonly string[];
  /** The positions of columns with numbers. */
  readonly numeric?: readonly number[] | undefined;
  /** The positions of columns with text, which wraps. */
  readonly texts?: readonly number[] | undefined;
}

interface ListTableProps extends ColumnProps {
  readonly caption: string;
  readonly rows: readonly ListRow[];
}

/** A table of figures; on a narrow screen it scrolls on its own. */
export function ListTable({ caption, rows, ...columns }: ListTableProps): ReactNode {
  return (
    // The region scrolls, so a keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="scroll-x" tabIndex={0} role="region" aria-label={caption}>
      <table className="list-table">
        <thead>
          <tr>
            {columns.headings.map((heading, at) => (
              <th key={heading} scope="col" className={classOf(at, columns)}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={row.key} row={row} {...columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row of a `ListTable`. */
export function TableRow({ row, ...columns }: ColumnProps & { readonly row: ListRow }): ReactNode {
  const [first, ...cells] = row.cells;
  const { headings } = columns;
  return (
    <tr>
      <th scope="row">{first === '' || first === null ? <span className="quiet">(none)</span> : first}</th>
      {cells.map((cell, at) => (
        <td key={headings[at + 1]} className={classOf(at + 1, columns)} data-label={headings[at + 1]}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

function classOf(at: number, { numeric = [], texts = [] }: ColumnProps): string | undefined {
  if (texts.includes(at)) return 'text';
  return numeric.includes(at) ? 'num' : undefined;
}
