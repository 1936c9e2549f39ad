import type { ReactNode } from 'react';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { pluralize } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';
import { configDifferences } from './config-differences.ts';
import { WordChanges } from './word-changes.tsx';

interface ConfigProps {
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
  /** Whether a row differs. */
  readonly doRowsDiffer: boolean;
}

/** More differences than this are folded: the rows below them are looked for more often. */
const UNFOLDED = 8;

/** The settings that the configs of two datasets have differently. */
export function ConfigChanges({ left, right, doRowsDiffer }: ConfigProps): ReactNode {
  const source = useSource();
  const { data, error } = useData(`configs of ${left.id} and ${right.id}`, async (signal) => {
    const ask = ({ id }: DatasetEntry) => source.ask('config', { dataset: id }, signal);
    const [one, other] = await Promise.all([ask(left), ask(right)]);
    return configDifferences(one, other);
  });
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Comparing the configs…</p>;
  if (data.length === 0)
    return (
      <p className="quiet">
        The configs do not differ: columns, models and seed are the same.
        {doRowsDiffer &&
          ' Rows differ nevertheless. A model may answer the same request differently: with a temperature above 0, at another time, or if the endpoint has another model behind the same name. Files, tools and functions that the config names may have changed too.'}
      </p>
    );
  return (
    <details open={data.length <= UNFOLDED} className="config-changes">
      <summary>
        <h3>Configs: {pluralize(data.length, 'difference')}</h3>
      </summary>
      <table className="list-table compare-table config-table">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">{visibleText(left.name)}</th>
            <th scope="col">{visibleText(right.name)}</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ path, left: one, right: other }) => (
            <tr key={path}>
              <th scope="row">{visibleText(path)}</th>
              <WordChanges
                left={{ text: one ?? '(not set)' }}
                right={{ text: other ?? '(not set)' }}
                names={[left.name, right.name]}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
